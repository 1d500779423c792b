// Furniture that many rooms have: plants, cupboards, shelves, tables, boards on feet.
import { chance } from "../outside.ts";
import { lit, shaded } from "../colour.ts";
import { STUFF } from "../palette.ts";
import { type Pen, box, edge, oval, round, stroke } from "../pen.ts";
import type { Kit } from "./kit.ts";
import { books } from "./things.ts";

export function plant(kit: Kit, x: number, y: number, size = 1): void {
  const seed = Math.round(x * 3 + y);
  kit.piece({ x: x - 13 * size, y: y - 6, w: 26 * size, d: 10, h: 46 * size, shadow: "pool" }, (p) => {
    leaves(p, x, y - 12, size, seed);
    p.c.beginPath();
    p.c.moveTo(x - 7 * size, y - 13 * size);
    p.c.lineTo(x + 7 * size, y - 13 * size);
    p.c.lineTo(x + 5 * size, y + 2);
    p.c.quadraticCurveTo(x, y + 4, x - 5 * size, y + 2);
    p.c.closePath();
    const hex = seed % 2 ? STUFF.pot : "#e9e2d6";
    p.c.fillStyle = p.tone(hex);
    p.c.fill();
    edge(p, hex);
    round(p, x - 8 * size, y - 15 * size, 16 * size, 4 * size, 1.6, lit(hex, 0.18));
  });
}

function leaves(p: Pen, x: number, y: number, size: number, seed: number): void {
  for (let n = 0; n < 9; n++) {
    const at = (n - 4) * 0.36 + (chance(seed, n) - 0.5) * 0.2;
    const reach = (22 + chance(n, seed) * 9 - Math.abs(n - 4) * 1.6) * size;
    const [tx, ty] = [x + Math.sin(at) * reach * 0.72, y - Math.cos(at * 0.9) * reach];
    const [nx, ny] = [Math.cos(at) * 4.4 * size, Math.sin(at) * 4.4 * size];
    const hex = n % 3 === 0 ? STUFF.leafDeep : n % 3 === 1 ? STUFF.leaf : lit(STUFF.leaf, 0.2);
    p.c.beginPath();
    p.c.moveTo(x, y);
    p.c.quadraticCurveTo((x + tx) / 2 - nx, (y + ty) / 2 - ny, tx, ty);
    p.c.quadraticCurveTo((x + tx) / 2 + nx, (y + ty) / 2 + ny, x, y);
    p.c.fillStyle = p.tone(hex);
    p.c.fill();
    edge(p, hex, 0.7, 0.26);
  }
}

/** A cupboard with doors or drawers. */
export function cupboard(
  kit: Kit,
  x: number,
  y: number,
  w: number,
  d: number,
  h: number,
  hex: string,
  doors = 2,
  on?: (p: Pen) => void,
): void {
  kit.piece({ x, y, w, d, h: h + (on ? 26 : 0) }, (p) => {
    box(p, x, y, w, d, h, lit(hex, 0.1), { front: hex });
    for (let n = 0; n < doors; n++) {
      const [dx, dw] = [x + 2 + (n * (w - 3)) / doors, (w - 3) / doors - 1.4];
      round(p, dx, y + d - h + 2.5, dw, h - 5, 1.5, shaded(hex, 0.06));
      oval(p, dx + dw / 2, y + d - h + 6, 1.4, 0.8, shaded(hex, 0.4), false);
    }
    on?.(p);
  });
}

/** A shelf with books, its back to the north. */
export function bookshelf(kit: Kit, x: number, y: number, w: number, rows = 2): void {
  const h = rows * 16 + 4;
  kit.piece({ x, y, w, d: 10, h: h + 14 }, (p) => {
    box(p, x, y, w, 10, h, STUFF.wood, { r: 2 });
    for (let row = 0; row < rows; row++) {
      const base = y + 10 - 3 - row * 16;
      round(p, x + 2.5, base - 13, w - 5, 13, 1, shaded(STUFF.wood, 0.35), false);
      books(p, x + 4, base, Math.floor((w - 10) / 4), Math.round(x) + row * 3);
    }
    oval(p, x + w - 8, y - h + 2, 5, 4, STUFF.leaf);
    round(p, x + w - 11, y - h + 3, 6, 5, 1.4, STUFF.pot);
  });
}

/** A table on four legs; `on` lays things on its top, given the height of the top. */
export function table(
  kit: Kit,
  x: number,
  y: number,
  w: number,
  d: number,
  h: number,
  hex: string,
  on?: (p: Pen, lift: number) => void,
): void {
  kit.piece({ x, y, w, d, h: h + (on ? 26 : 0), shadow: "none" }, (p) => {
    for (const dx of [3, w - 3]) stroke(p, shaded(hex, 0.28), 2.6, [x + dx, y + d - h], [x + dx, y + d - 1]);
    box(p, x, y, w, d, 4, hex, { z: h - 4, r: 4 });
    on?.(p, h);
  });
  kit.lay((p) => {
    p.c.fillStyle = p.dark ? "rgb(6 8 30 / 0.24)" : "rgb(88 72 132 / 0.13)";
    p.c.beginPath();
    p.c.roundRect(x + 3, y + 4, w, d, 6);
    p.c.fill();
  });
}

/** A board on two feet, its face to the south. */
export function standingBoard(
  kit: Kit,
  x: number,
  y: number,
  w: number,
  h: number,
  hex: string,
  face: (p: Pen, x: number, y: number) => void,
): void {
  kit.piece({ x, y: y - 3, w, d: 6, h: h + 14 }, (p) => {
    for (const dx of [5, w - 5]) {
      stroke(p, "#8b93a6", 2.2, [x + dx, y - 12], [x + dx, y + 1]);
      stroke(p, "#8b93a6", 2.2, [x + dx - 4, y + 2], [x + dx + 4, y + 2]);
    }
    round(p, x, y - h - 10, w, h, 3, "#b9a184");
    round(p, x + 2, y - h - 8, w - 4, h - 4, 2, hex, false);
    face(p, x, y - h - 10);
  });
}
