// Walls: low ones seen from above, high ones with windows along the north.
import { clear, lit, mix, shaded } from "./colour.ts";
import type { PlanRoom } from "./contract.ts";
import { type Grid, HIGH, LOW, THICK, TILE, type Wall, left, top } from "./grid.ts";
import { WALL, floorLook } from "./palette.ts";
import { type Pen, edge, round, stroke } from "./pen.ts";

const HALF = THICK / 2;

/** The shadows of walls on the floor: to the south and to the east, where the light does not come. */
export function wallShadows(p: Pen, walls: Wall[]): void {
  p.c.fillStyle = p.dark ? "rgb(6 8 30 / 0.09)" : "rgb(96 78 140 / 0.035)";
  for (const wall of walls) {
    if (wall.kind === "door") continue;
    const [x, y] = [left(wall.x), top(wall.y)];
    for (const part of [0.2, 0.4, 0.6, 0.8, 1]) {
      const reach = (wall.kind === "high" ? 15 : 8) * part;
      if (wall.along === "x") p.c.fillRect(x, y, wall.length * TILE.w, HALF + reach);
      else p.c.fillRect(x, y - 6, HALF + reach, wall.length * TILE.h);
    }
  }
}

/** The middles of the windows of a room, in columns. */
export function windowsOf(grid: Grid, room: PlanRoom): number[] {
  return grid.highRuns(room).flatMap(([x, n]) => {
    const count = Math.max(1, Math.round(n / 3));
    return Array.from({ length: count }, (_, at) => x + ((at + 0.5) * n) / count);
  });
}

/** The places between the windows of a room where something can hang, in columns; the ends come last. */
export function gapsOf(grid: Grid, room: PlanRoom): number[] {
  return grid.highRuns(room).flatMap(([x, n]) => {
    const count = Math.max(1, Math.round(n / 3));
    const between = Array.from({ length: count - 1 }, (_, at) => x + ((at + 1) * n) / count);
    return n > 2 ? [...between, x + 0.34, x + n - 0.34] : between;
  });
}

export function highWalls(p: Pen, walls: Wall[]): void {
  for (const wall of walls) {
    if (wall.kind !== "high" || wall.along !== "x") continue;
    const [x, y, w] = [left(wall.x), top(wall.y) + HALF, wall.length * TILE.w];
    const g = p.c.createLinearGradient(0, y - HIGH, 0, y);
    g.addColorStop(0, p.tone(lit(WALL.high, 0.4)));
    g.addColorStop(1, p.tone(shaded(WALL.high, 0.06)));
    p.c.fillStyle = g;
    p.c.fillRect(x, y - HIGH, w, HIGH);
    if (wall.room) {
      const { accent, a } = floorLook(wall.room.kind);
      p.c.fillStyle = p.tone(mix(a, accent, 0.14));
      p.c.fillRect(x, y - 22, w, 22);
      stroke(p, mix(accent, WALL.high, 0.45), 1.4, [x, y - 22], [x + w, y - 22]);
      p.c.fillStyle = p.tone(mix(accent, "#fff6ea", 0.15));
      p.c.fillRect(x, y - 4, w, 4);
    }
    round(p, x - HALF, y - HIGH - THICK, w + THICK, THICK + 1, 2, WALL.top);
  }
}

export function panes(p: Pen, grid: Grid): void {
  for (const room of grid.plan.rooms) for (const x of windowsOf(grid, room)) pane(p, left(x), top(room.area[1]) + HALF);
}

function pane(p: Pen, x: number, floor: number): void {
  const [w, h] = [62, 32];
  const [x0, y0] = [x - w / 2, floor - HIGH + 6];
  round(p, x0 - 3, y0 - 3, w + 6, h + 6, 4, WALL.frame);
  p.c.save();
  p.c.beginPath();
  p.c.roundRect(x0, y0, w, h, 2);
  p.c.clip();
  const g = p.c.createLinearGradient(0, y0, 0, y0 + h);
  g.addColorStop(0, p.dark ? "#14264a" : WALL.sky);
  g.addColorStop(1, p.dark ? "#2a4470" : WALL.skyLow);
  p.c.fillStyle = g;
  p.c.fillRect(x0, y0, w, h);
  p.c.fillStyle = p.dark ? "#1b3a4a" : "#a9d0a8";
  for (const [dx, r] of [
    [6, 12],
    [24, 9],
    [44, 13],
    [60, 10],
  ] as const) {
    p.c.beginPath();
    p.c.arc(x0 + dx, y0 + h + 3, r, 0, Math.PI * 2);
    p.c.fill();
  }
  p.c.fillStyle = p.dark ? "rgb(190 210 255 / 0.1)" : "rgb(255 255 255 / 0.5)";
  for (const dx of [6, 40]) {
    p.c.beginPath();
    p.c.moveTo(x0 + dx + 9, y0);
    p.c.lineTo(x0 + dx + 17, y0);
    p.c.lineTo(x0 + dx + 5, y0 + h);
    p.c.lineTo(x0 + dx - 3, y0 + h);
    p.c.fill();
  }
  p.c.restore();
  stroke(p, WALL.frame, 2.4, [x, y0], [x, y0 + h]);
  stroke(p, WALL.frame, 1.4, [x0, y0 + 10], [x0 + w, y0 + 10]);
  round(p, x0 - 6, y0 + h + 2, w + 12, 4, 1.5, WALL.frame);
}

/** Sunlight through the windows on the floor; in the evening none. */
export function sunlight(p: Pen, grid: Grid, room: PlanRoom): void {
  if (p.dark) return;
  for (const column of windowsOf(grid, room)) {
    const [x, y] = [left(column), top(room.area[1]) + 6];
    const depth = Math.min(92, (room.area[3] - room.area[1] + 1) * TILE.h - 14);
    const g = p.c.createLinearGradient(0, y, 0, y + depth);
    g.addColorStop(0, "rgb(255 242 200 / 0.52)");
    g.addColorStop(1, "rgb(255 241 196 / 0.12)");
    p.c.fillStyle = g;
    for (const from of [-31, 2]) {
      p.c.beginPath();
      p.c.moveTo(x + from, y);
      p.c.lineTo(x + from + 29, y);
      p.c.lineTo(x + from + 29 + depth * 0.5, y + depth);
      p.c.lineTo(x + from + depth * 0.5, y + depth);
      p.c.fill();
    }
  }
}

/** The low walls: all faces first, then all tops as one shape, so that corners join. */
export function lowWalls(p: Pen, walls: Wall[]): void {
  const low = walls.filter((wall) => wall.kind === "low" || wall.kind === "glass");
  for (const wall of low) {
    const [x, y] = [left(wall.x), top(wall.y)];
    if (wall.along === "x") face(p, x - HALF, y + HALF - LOW, wall.length * TILE.w + THICK, wall.room);
    else face(p, x - HALF, y + wall.length * TILE.h + HALF - LOW, THICK, undefined);
  }
  const tops = new Path2D();
  for (const wall of low) {
    const [x, y] = [left(wall.x) - HALF, top(wall.y) - HALF - LOW];
    if (wall.along === "x") tops.roundRect(x, y, wall.length * TILE.w + THICK, THICK, 1.5);
    else tops.roundRect(x, y, THICK, wall.length * TILE.h + THICK, 1.5);
  }
  p.c.lineWidth = 1.7;
  p.c.strokeStyle = p.tone(shaded(WALL.face, 0.26));
  p.c.stroke(tops);
  p.c.fillStyle = p.tone(WALL.top);
  p.c.fill(tops);
  if (p.dark) moonlit(p, tops);
  for (const wall of low)
    if (
      wall.along === "y" &&
      walls.some((other) => other.kind === "high" && other.y === wall.y && touches(other, wall.x))
    )
      slope(p, left(wall.x), top(wall.y));
}

/** In the evening the tops of walls keep a thin light, so that rooms stay apart. */
function moonlit(p: Pen, tops: Path2D): void {
  p.c.fillStyle = "rgb(255 255 255 / 0.35)";
  p.c.fill(tops);
}

const touches = (high: Wall, x: number): boolean => x >= high.x && x <= high.x + high.length;

function face(p: Pen, x: number, y: number, w: number, room: PlanRoom | undefined): void {
  const g = p.c.createLinearGradient(0, y, 0, y + LOW);
  g.addColorStop(0, p.tone(WALL.face));
  g.addColorStop(1, p.tone(shaded(WALL.face, 0.1)));
  p.c.fillStyle = g;
  p.c.fillRect(x, y, w, LOW);
  if (room) {
    p.c.fillStyle = p.tone(mix(floorLook(room.kind).accent, WALL.face, 0.3));
    p.c.fillRect(x, y + LOW - 3.4, w, 3.4);
  }
  p.c.beginPath();
  p.c.rect(x, y, w, LOW);
  edge(p, WALL.face, 0.9, 0.22);
}

/** A side wall comes down from the height of the north wall in a curve. */
function slope(p: Pen, x: number, y: number): void {
  p.c.beginPath();
  p.c.roundRect(x - HALF, y - HIGH - HALF, THICK, HIGH - LOW + 22, [2, 2, 4, 4]);
  const g = p.c.createLinearGradient(0, y - HIGH, 0, y + 10);
  g.addColorStop(0, p.tone(WALL.top));
  g.addColorStop(1, p.tone(shaded(WALL.top, 0.03)));
  p.c.fillStyle = g;
  p.c.fill();
  edge(p, WALL.face, 0.9, 0.22);
}

/** One-way glass on a low wall: a pane with a light frame, through which one sees who stands behind. */
export function glassPane(p: Pen, wall: Wall, height: number): void {
  const [x, w] = [left(wall.x), wall.length * TILE.w];
  const foot = top(wall.y) - LOW;
  const y = foot - height;
  p.c.fillStyle = p.dark ? "rgb(120 160 230 / 0.2)" : "rgb(132 160 214 / 0.26)";
  p.c.fillRect(x, y, w, height);
  p.c.save();
  p.c.beginPath();
  p.c.rect(x, y, w, height);
  p.c.clip();
  p.c.fillStyle = clear("#ffffff", p.dark ? 0.07 : 0.3);
  for (let n = 0; n < wall.length; n += 2) {
    const from = x + 18 + n * TILE.w;
    p.c.beginPath();
    p.c.moveTo(from + 16, y);
    p.c.lineTo(from + 30, y);
    p.c.lineTo(from + 14, foot);
    p.c.lineTo(from, foot);
    p.c.fill();
  }
  p.c.restore();
  for (let n = 0; n <= wall.length; n += wall.length > 2 ? wall.length / 2 : wall.length)
    stroke(p, "#8d97b8", 2, [x + n * TILE.w, y], [x + n * TILE.w, foot]);
  stroke(p, "#8d97b8", 2.2, [x, y], [x + w, y]);
}
