// Reception and the waiting hall, and the corridor between the rooms.
import { lit, mix, shaded } from "../colour.ts";
import { rug } from "../floors.ts";
import { TILE, blocks, left, top } from "../grid.ts";
import { STUFF } from "../palette.ts";
import { box, glow, oval, round, stroke } from "../pen.ts";
import { chair } from "./chairs.ts";
import { bookshelf, cupboard, plant, table } from "./common.ts";
import type { Kit } from "./kit.ts";
import { keyboard, lamp, light, paper, pot, screen } from "./things.ts";

export function reception(kit: Kit): void {
  const { rect } = kit;
  for (const [bx, by, columns] of blocks(kit.room)) counter(kit, left(bx) + 1, top(by) + 9, columns * TILE.w - 2);
  cupboard(kit, rect.x + rect.w - 62, rect.y + 5, 50, 13, 26, "#e3c79d", 3, (p) => {
    for (let n = 0; n < 5; n++)
      round(p, rect.x + rect.w - 58 + n * 5, rect.y - 19 - 9, 4, 12, 0.8, n % 2 ? "#8fb3a8" : "#d8a78f");
    pot(p, rect.x + rect.w - 22, rect.y - 13, "#e9dcc4");
  });
  brochures(kit, rect.x + 12, rect.y + 10);
  plant(kit, rect.x + 52, rect.y + 16, 0.9);
}

function counter(kit: Kit, x: number, y: number, w: number): void {
  const [d, h] = [23, 25];
  kit.piece({ x, y, w, d, h: h + 26 }, (p) => {
    box(p, x, y, w, d, h, "#f0dcb8", { front: "#f6efe2", r: 6 });
    const front = y + d - h;
    round(p, x + 5, front + 7, w - 10, 12, 3, mix(kit.accent, "#fff5e4", 0.55), false);
    for (let at = x + 12; at < x + w - 8; at += 9)
      stroke(p, mix(kit.accent, "#fff5e4", 0.4), 1.2, [at, front + 9], [at, front + 17]);
    stroke(p, kit.accent, 1.6, [x + 3, front + 1], [x + w - 3, front + 1]);
    if (p.dark) for (let at = x + w / 6; at < x + w; at += w / 3) glow(p, at, front + 12, 26, 16, "#ffd68c", 0.4);
    const lift = y - h;
    screen(p, x + w / 2 - 4, lift + 11, 24, 17, "back");
    keyboard(p, x + w / 2 - 4, lift + 3.4);
    paper(p, x + w * 0.72, lift + 15, -0.12);
    paper(p, x + w * 0.78, lift + 10, 0.2);
    lamp(p, x + 14, lift + 13);
    for (let n = 0; n < 3; n++) {
      round(p, x + w - 25 + n * 6, lift + 8, 5, 9, 0.8, ["#d98a7a", "#7fb0a4", "#e3bd6e"][n]!);
      stroke(p, "#fffaf0", 0.8, [x + w - 24 + n * 6, lift + 10.5], [x + w - 21.6 + n * 6, lift + 10.5]);
    }
    oval(p, x + w * 0.3, lift + 15, 3, 1.8, "#d9b060");
    oval(p, x + w * 0.3, lift + 13.4, 1, 0.8, "#a9803c", false);
  });
}

function brochures(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 26, d: 8, h: 42 }, (p) => {
    box(p, x, y, 26, 8, 40, STUFF.woodPale, { r: 3 });
    for (let row = 0; row < 3; row++)
      for (let n = 0; n < 3; n++) {
        const hex = ["#d98a7a", "#7fb0a4", "#e3bd6e", "#92a9d0", "#b59ccb"][(row * 2 + n) % 5]!;
        round(p, x + 3 + n * 7, y - 30 + row * 12, 6, 9, 0.8, hex);
        stroke(p, lit(hex, 0.7), 0.8, [x + 4.4 + n * 7, y - 27.5 + row * 12], [x + 7.4 + n * 7, y - 27.5 + row * 12]);
      }
  });
}

export function waiting(kit: Kit): void {
  const seats = kit.slots("seat");
  const hues = ["#6fae9f", "#7f9fc4"];
  const rows = [...new Set(seats.map((seat) => seat.y))];
  for (const y of rows) {
    const xs = seats.filter((seat) => seat.y === y).map((seat) => seat.x);
    const from = Math.max(Math.min(...xs) - 32, kit.rect.x + 9);
    const to = Math.min(Math.max(...xs) + 32, kit.rect.x + kit.rect.w - 9);
    kit.lay((p) => rug(p, from, y - 22, to - from, 44, rows.indexOf(y) % 2 ? "#7f9fc4" : "#6fae9f"));
  }
  for (const seat of seats)
    chair(kit, seat.x, seat.y, kit.facing(seat.name), { hex: hues[rows.indexOf(seat.y) % 2]!, arms: true });
  const { rect } = kit;
  cooler(kit, rect.x + 9, rect.y + rect.h - 44);
  plant(kit, rect.x + rect.w - 18, rect.y + rect.h - 32, 1.05);
  plant(kit, rect.x + rect.w - 16, rect.y + 22, 0.85);
  const xs = [...new Set(seats.map((seat) => seat.x))].sort((a, b) => a - b);
  const [a, b] = [xs.at(-2), xs.at(-1)];
  const low = rows[0];
  if (a === undefined || b === undefined || low === undefined || b - a < TILE.w * 1.5) return;
  table(kit, (a + b) / 2 - 13, low - 17, 26, 15, 10, STUFF.woodPale, (p, lift) => {
    paper(p, (a + b) / 2 - 4, low - 10 - lift, 0.3, "#e9c7bd");
    paper(p, (a + b) / 2 + 4, low - 8 - lift, -0.2, "#cfe0ea");
  });
}

function cooler(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 15, d: 11, h: 48 }, (p) => {
    round(p, x + 1.5, y - 37, 12, 18, 5, "#c9e3f0");
    round(p, x + 3, y - 28, 9, 8, 3, "#9ccbe6", false);
    box(p, x, y, 15, 11, 23, "#f4f5f7", { r: 3 });
    round(p, x + 4, y - 6, 7, 6, 1.2, "#d5dae2");
    stroke(p, "#6fa6d0", 1.6, [x + 5.4, y - 8], [x + 5.4, y - 6.6]);
    stroke(p, "#d98a7a", 1.6, [x + 9.4, y - 8], [x + 9.4, y - 6.6]);
  });
}

export function corridor(kit: Kit): void {
  const { rect } = kit;
  const wide = rect.w > rect.h;
  kit.lay((p) => {
    p.c.globalAlpha = 0.75;
    const hex = mix(kit.accent, "#f6f2ea", 0.5);
    if (wide) {
      round(p, rect.x + 22, rect.y + rect.h / 2 - 4, rect.w - 44, 5, 2.5, hex, false);
      for (let x = rect.x + 40; x < rect.x + rect.w - 30; x += TILE.w) {
        stroke(p, "#fffaf0", 1, [x, rect.y + rect.h / 2 - 1.5], [x + 20, rect.y + rect.h / 2 - 1.5]);
      }
    } else round(p, rect.x + rect.w / 2 - 2, rect.y + 22, 5, rect.h - 44, 2.5, hex, false);
    p.c.globalAlpha = 1;
  });
  if (!wide) return;
  const quiet = kit.quiet();
  const [x0, y0, x1] = kit.room.area;
  if (quiet.some(({ tile }) => tile[0] === x0)) plant(kit, rect.x + 18, rect.y + 26);
  if (!quiet.some(({ tile }) => tile[0] === x1)) return;
  plant(kit, rect.x + rect.w - 18, rect.y + 26);
  if (kit.free(x1 - 2, y0, 2, 1)) {
    bench(kit, left(x1 - 2) + 8, top(y0) + 8, 62);
  }
  if (kit.free(x1 - 3, y0 + 1, 1, 1)) trolley(kit, left(x1 - 2), top(y0 + 1) + 4);
}

function bench(kit: Kit, x: number, y: number, w: number): void {
  kit.piece({ x, y, w, d: 14, h: 26 }, (p) => {
    for (const dx of [5, w - 5]) stroke(p, "#7b7f92", 2.4, [x + dx, y + 4], [x + dx, y + 13]);
    round(p, x, y - 20, w, 14, 4, "#84b5a5");
    box(p, x, y, w, 13, 4, "#93c0b1", { z: 9, r: 4 });
    for (const dx of [w / 3, (2 * w) / 3]) stroke(p, shaded("#84b5a5", 0.2), 1, [x + dx, y - 19], [x + dx, y]);
  });
}

/** A linen trolley that waits in the corridor. */
function trolley(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 36, d: 15, h: 30 }, (p) => {
    for (const dx of [5, 31]) oval(p, x + dx, y + 14, 2.4, 2.4, "#5a6178");
    box(p, x, y, 36, 14, 4, STUFF.steel, { z: 3, r: 2 });
    for (const [dx, hex] of [
      [3, "#fdfbf5"],
      [14, "#cfe4de"],
      [25, "#f3d9cf"],
    ] as const)
      for (let n = 0; n < 3; n++) round(p, x + dx, y + 3 - n * 3.4, 9, 4, 1.6, hex);
    for (const dx of [1, 35]) stroke(p, "#aab4c3", 1.8, [x + dx, y + 6], [x + dx, y - 20]);
    box(p, x, y, 36, 14, 2.4, STUFF.white, { z: 18, r: 3 });
    for (let n = 0; n < 2; n++) round(p, x + 5 + n * 14, y - 20, 11, 6, 2, n ? "#a9d3cc" : "#fdfbf5");
    light(p, "#ffffff", 0.8, [x + 4, y - 17], [x + 32, y - 17]);
  });
}

/** A room of a kind that has no furniture of its own. */
export function plain(kit: Kit): void {
  for (const [bx, by, columns, rows] of blocks(kit.room)) {
    if (columns >= rows)
      table(kit, left(bx) + 4, top(by) + 8, columns * TILE.w - 8, rows * TILE.h - 16, 18, STUFF.wood);
    else cupboard(kit, left(bx) + 6, top(by) + 4, columns * TILE.w - 12, rows * TILE.h - 8, 18, STUFF.woodPale, 1);
  }
  for (const seat of [...kit.slots("seat"), ...kit.slots("sofa"), ...kit.slots("desk")])
    chair(kit, seat.x, seat.y, kit.facing(seat.name), { hex: STUFF.teal });
  const [x0, y0] = kit.room.area;
  if (kit.free(x0, y0, 2, 1)) bookshelf(kit, left(x0) + 8, top(y0) + 6, 60);
}
