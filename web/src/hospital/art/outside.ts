// The strip of garden about the building: lawn, trees, hedge, and the way home.
import { lit, shaded } from "./colour.ts";
import type { PlanRoom } from "./contract.ts";
import { type Grid, MARGIN, TILE, left, top } from "./grid.ts";
import { OUTSIDE } from "./palette.ts";
import { type Pen, box, edge, glow, oval, pool, round, shade, stroke } from "./pen.ts";

/** A number from 0 to 1 that looks like chance and is the same every time. */
export const chance = (a: number, b: number): number => {
  const n = Math.sin(a * 127.1 + b * 311.7) * 43_758.5453;
  return n - Math.floor(n);
};

export function garden(p: Pen, grid: Grid, width: number, height: number): void {
  p.c.beginPath();
  p.c.roundRect(0, MARGIN.top - 44, width, height - MARGIN.top + 44, 30);
  const g = p.c.createLinearGradient(0, 0, width * 0.4, height);
  g.addColorStop(0, p.tone(OUTSIDE.lawn));
  g.addColorStop(1, p.tone(OUTSIDE.lawnDeep));
  p.c.fillStyle = g;
  p.c.fill();
  for (let n = 0; n < 160; n++)
    tuft(p, chance(n, 1) * width, MARGIN.top - 30 + chance(n, 2) * (height - MARGIN.top + 20), n);
  const homes = grid.plan.rooms.filter((room) => room.kind === "home");
  behind(p, grid);
  for (const home of homes) wayHome(p, grid, home);
  trees(p, grid, homes);
  hedge(p, grid, height);
}

function tuft(p: Pen, x: number, y: number, n: number): void {
  if (n % 7 === 0) {
    oval(p, x, y, 1.4, 1.2, n % 2 ? "#fff6dd" : "#f2d7dd", false);
    return;
  }
  stroke(p, shaded(OUTSIDE.lawn, 0.14), 1, [x - 2, y], [x - 1, y - 3]);
  stroke(p, shaded(OUTSIDE.lawn, 0.14), 1, [x + 1, y], [x + 1.6, y - 2.4]);
}

/** Crowns that look over the high wall. */
function behind(p: Pen, grid: Grid): void {
  for (let x = 0; x < grid.plan.size[0]; x++) {
    if (!grid.indoors(x, 0) || chance(x, 9) < 0.45) continue;
    crown(p, left(x + chance(x, 3)), top(0) - 60 - chance(x, 4) * 6, 13 + chance(x, 5) * 7);
  }
}

function crown(p: Pen, x: number, y: number, r: number): void {
  oval(p, x, y, r, r * 0.92, OUTSIDE.leafDeep);
  oval(p, x - r * 0.16, y - r * 0.14, r * 0.8, r * 0.72, OUTSIDE.leaf, false);
  oval(p, x - r * 0.34, y - r * 0.36, r * 0.36, r * 0.28, lit(OUTSIDE.leaf, 0.28), false);
}

function tree(p: Pen, x: number, y: number, r: number): void {
  pool(p, x + r * 0.5, y, r * 1.05, r * 0.42, 1.2);
  round(p, x - 2.4, y - r * 0.9, 4.8, r * 0.95, 2, OUTSIDE.trunk);
  crown(p, x, y - r * 1.35, r);
}

function trees(p: Pen, grid: Grid, homes: PlanRoom[]): void {
  const [width, height] = grid.plan.size;
  const near = (x: number, y: number) =>
    homes.some(({ area: [x0, y0, x1, y1] }) => x >= x0 - 1 && x <= x1 + 1 && y >= y0 - 3 && y <= y1 + 1.4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (grid.roomAt(x, y) || near(x, y) || chance(x, y) > 0.62) continue;
      const away = grid.indoors(x + 1, y) ? -0.18 : 0;
      if (chance(y, x) < 0.35) bush(p, left(x + 0.4 + away), top(y + 0.7), 9 + chance(x, y) * 4);
      else tree(p, left(x + 0.35 + chance(y, x) * 0.25 + away), top(y + 0.8), 14 + chance(x + 7, y) * 6);
    }
}

export function bush(p: Pen, x: number, y: number, r: number): void {
  pool(p, x + 3, y, r * 1.2, r * 0.4);
  oval(p, x - r * 0.6, y - r * 0.4, r * 0.62, r * 0.52, OUTSIDE.leafDeep);
  oval(p, x + r * 0.6, y - r * 0.45, r * 0.66, r * 0.56, OUTSIDE.leafDeep);
  oval(p, x, y - r * 0.62, r * 0.78, r * 0.7, OUTSIDE.leaf);
  oval(p, x - r * 0.2, y - r * 0.86, r * 0.36, r * 0.26, lit(OUTSIDE.leaf, 0.3), false);
}

/** Low green along the south edge, outside the wall. */
function hedge(p: Pen, grid: Grid, height: number): void {
  const [columns, rows] = grid.plan.size;
  for (let x = 0; x < columns; x++) {
    if (!grid.indoors(x, rows - 1) || chance(x, 21) < 0.3) continue;
    bush(p, left(x + 0.2 + chance(x, 22) * 0.6), height - 6 - chance(x, 23) * 4, 8 + chance(x, 24) * 4);
  }
}

/** A small house, its court, and the path to the hospital's doors. */
function wayHome(p: Pen, grid: Grid, room: PlanRoom): void {
  const [x0, y0, x1, y1] = room.area;
  const [x, y, w, h] = [left(x0), top(y0), (x1 - x0 + 1) * TILE.w, (y1 - y0 + 1) * TILE.h];
  round(p, x + 3, y - 6, w + 10, h + 4, 18, OUTSIDE.path);
  for (const [ax, ay] of grid.doorways(room))
    round(p, left(ax) + 8, top(ay) + 1, TILE.w, TILE.h - 2, 8, OUTSIDE.path, false);
  for (let n = 0; n < 9; n++) {
    const [sx, sy] = [x + 14 + chance(n, 31) * (w - 16), y + 6 + chance(n, 32) * (h - 14)];
    oval(p, sx, sy, 4 + chance(n, 33) * 3, 2.4, lit(OUTSIDE.path, 0.35), false);
  }
  house(p, x + 6, y - 34, Math.min(w - 14, 76));
}

function house(p: Pen, x: number, y: number, w: number): void {
  shade(p, x + 2, y + 4, w, 26, 40);
  box(p, x, y, w, 28, 34, "#f3e3cd", { r: 2 });
  const eaves = y - 6;
  const roof = p.dark ? "#e0a08c" : "#cf8e76";
  p.c.beginPath();
  p.c.moveTo(x - 5, eaves);
  p.c.lineTo(x + 8, eaves - 36);
  p.c.quadraticCurveTo(x + w / 2, eaves - 39, x + w - 8, eaves - 36);
  p.c.lineTo(x + w + 5, eaves);
  p.c.closePath();
  p.c.fillStyle = p.tone(roof);
  p.c.fill();
  edge(p, roof);
  for (let n = 1; n < 4; n++)
    stroke(p, "#c17f68", 1, [x - 3 + n * 3.2, eaves - n * 9], [x + w + 3 - n * 3.2, eaves - n * 9]);
  round(p, x + w - 22, eaves - 46, 9, 18, 1.5, "#d9a68f");
  const floor = y + 28;
  round(p, x + w / 2 - 8, floor - 25, 16, 25, 3, "#5f9d92");
  oval(p, x + w / 2 + 4.5, floor - 12, 1.1, 1.1, "#f6e2b0", false);
  for (const wx of [x + 8, x + w - 21]) {
    round(p, wx, floor - 25, 13, 12, 2, p.dark ? "#ffe2a0" : "#cfe6ef");
    stroke(p, "#fffaf0", 1.2, [wx + 6.5, floor - 25], [wx + 6.5, floor - 13]);
    round(p, wx - 1, floor - 12, 15, 3, 1, "#b9785f");
    if (p.dark) glow(p, wx + 6, floor - 18, 26, 22, "#ffd58a", 0.5);
  }
}
