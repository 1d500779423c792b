// The staff room and the seminar room.
import { lit, mix } from "../colour.ts";
import { rug } from "../floors.ts";
import { TILE, blocks, left, top } from "../grid.ts";
import { STUFF } from "../palette.ts";
import { type Pen, box, glow, oval, round, stroke } from "../pen.ts";
import { chair, sofa } from "./chairs.ts";
import { bookshelf, cupboard, plant, standingBoard, table } from "./common.ts";
import type { Kit } from "./kit.ts";
import { books, bottle, mug, paper, screen } from "./things.ts";

export function staff(kit: Kit): void {
  const { rect } = kit;
  const [x0, , x1, y1] = kit.room.area;
  for (const [bx, by, columns] of blocks(kit.room)) kitchenette(kit, left(bx) + 2, top(by) + 5, columns * TILE.w - 4);
  const seats = kit.slots("sofa");
  const low = Math.max(...seats.map((seat) => seat.y), rect.y);
  seatsInSofas(kit, seats);
  if (seats.length) {
    const xs = seats.map((seat) => seat.x);
    const [cx, w] = [(Math.min(...xs) + Math.max(...xs)) / 2, Math.max(...xs) - Math.min(...xs) + 40];
    kit.lay((p) => rug(p, cx - w / 2, low - 4, w, 74, "#c27352"));
    table(kit, cx - 44, low + 32, 88, 24, 11, STUFF.wood, (p, lift) => {
      paper(p, cx - 20, low + 44 - lift, 0.2, "#e9c7bd");
      mug(p, cx + 4, low + 46 - lift, "#7fa9a0");
      mug(p, cx + 22, low + 42 - lift, "#e3bd6e");
      books(p, cx + 30, low + 50 - lift, 3, 2);
    });
  }
  const row = Math.max(kit.room.area[1], Math.round((low - top(0)) / TILE.h) + 2);
  if (kit.free(x0 + 1, row, 4, 2)) dining(kit, left(x0 + 3), top(row) + 34);
  if (kit.free(x1, kit.room.area[1], 1, 1)) noticeBoard(kit, rect.x + rect.w - 44, rect.y + 18);
  if (kit.free(x0, kit.room.area[1], 1, 1)) cupboard(kit, rect.x + 7, rect.y + 8, 26, 18, 46, "#eef0f2", 1);
  if (kit.free(x1, row, 1, 1)) bookshelf(kit, rect.x + rect.w - 48, top(row) + 8, 42, 2);
  if (kit.free(x1, y1, 1, 1)) plant(kit, rect.x + rect.w - 20, rect.y + rect.h - 34, 1.15);
  if (kit.free(x0, row, 1, 1)) plant(kit, rect.x + 20, top(row) + 10, 1);
}

/** Slots side by side share a sofa, three at most. */
function seatsInSofas(kit: Kit, seats: { x: number; y: number }[]): void {
  const rest = [...seats].sort((a, b) => a.y - b.y || a.x - b.x);
  let n = 0;
  while (rest.length) {
    const run = [rest.shift()!];
    while (rest[0] && run.length < 3 && rest[0].y === run[0]!.y && rest[0].x - run.at(-1)!.x <= TILE.w)
      run.push(rest.shift()!);
    sofa(
      kit,
      run.map((seat) => seat.x),
      run[0]!.y,
      n++ % 2 ? "#8fae9f" : "#cf8f74",
    );
  }
}

function kitchenette(kit: Kit, x: number, y: number, w: number): void {
  const [d, h] = [19, 21];
  kit.piece({ x, y, w, d, h: h + 26 }, (p) => {
    box(p, x, y, w, d, h, "#ead6b6", { front: "#f3ede3", r: 3 });
    for (let dx = 3; dx + 20 < w; dx += 25) {
      round(p, x + dx, y + d - h + 5, 22, h - 8, 1.6, "#e6ddcd");
      stroke(p, "#a98e6c", 1.2, [x + dx + 8, y + d - h + 8], [x + dx + 14, y + d - h + 8]);
    }
    const lift = y - h;
    round(p, x + w * 0.4, lift + 4, 24, 10, 3, "#cdd6dd");
    round(p, x + w * 0.4 + 2, lift + 5.4, 20, 7, 2.4, "#b6c3cd", false);
    stroke(
      p,
      "#8f9cac",
      1.8,
      [x + w * 0.4 + 12, lift + 3],
      [x + w * 0.4 + 12, lift - 4],
      [x + w * 0.4 + 15, lift - 4],
      [x + w * 0.4 + 15, lift - 1],
    );
    round(p, x + 8, lift - 9, 26, 19, 2.5, "#dfe3e8");
    round(p, x + 10.4, lift - 6.6, 16, 13, 1.6, "#56637c", false);
    round(p, x + w - 30, lift - 12, 17, 23, 3, "#5a4f5c");
    round(p, x + w - 27, lift - 2, 11, 9, 1.4, "#3e3642", false);
    mug(p, x + w - 21, lift + 7, "#f6f1e8");
    for (let n = 0; n < 3; n++)
      mug(p, x + w * 0.66 + n * 6, lift + 8 + (n % 2) * 3, ["#d98a7a", "#7fa9a0", "#e3bd6e"][n]!);
    if (p.dark) glow(p, x + w / 2, lift + 6, w * 0.6, 30, "#ffd68c", 0.3);
  });
}

function dining(kit: Kit, x: number, y: number): void {
  for (const dx of [-24, 24]) chair(kit, x + dx, y - 12, "south", { hex: dx < 0 ? "#d9b46a" : "#8fae9f" });
  table(kit, x - 52, y - 6, 104, 34, 18, STUFF.woodPale, (p, lift) => {
    oval(p, x, y + 8 - lift, 9, 5, "#f4efe6");
    for (const [dx, dy, hex] of [
      [-3, -2, "#d98a5a"],
      [3, -1.4, "#c9604f"],
      [0, -4, "#e3bd6e"],
    ] as const)
      oval(p, x + dx, y + 7 + dy - lift, 3, 2.8, hex);
    paper(p, x - 30, y + 10 - lift, -0.2);
    mug(p, x + 30, y + 10 - lift, "#7c9cc0");
  });
  for (const dx of [-24, 24]) chair(kit, x + dx, y + 44, "north", { hex: dx > 0 ? "#d9b46a" : "#8fae9f" });
}

function noticeBoard(kit: Kit, x: number, y: number): void {
  standingBoard(kit, x, y, 38, 30, "#e6c596", (p, bx, by) => {
    const notes = ["#fffdf6", "#f6dcd2", "#dcebe4", "#f6e7b8", "#e0e4f4"];
    notes.forEach((hex, n) => {
      const [nx, ny] = [bx + 4.5 + (n % 3) * 10, by + 4 + Math.floor(n / 3) * 12];
      round(p, nx, ny, 8.4, 10, 0.6, hex);
      stroke(p, "#9aa2b2", 0.7, [nx + 1.6, ny + 4], [nx + 6.4, ny + 4]);
      stroke(p, "#9aa2b2", 0.7, [nx + 1.6, ny + 6.4], [nx + 5, ny + 6.4]);
      oval(p, nx + 4.2, ny + 0.8, 1, 1, "#c9604f", false);
    });
  });
}

export function seminar(kit: Kit): void {
  const { rect } = kit;
  const desks = kit.slots("desk");
  for (const slot of desks) {
    const side = kit.facing(slot.name);
    chair(kit, slot.x, slot.y, side, { hex: "#7f9fc4" });
    const y = side === "north" ? slot.y - 30 : slot.y + 12;
    table(kit, slot.x - 23, y, 46, 16, 17, STUFF.woodPale, (p, lift) => {
      paper(p, slot.x - 6, y + 9 - lift, 0.06);
      stroke(p, "#d0875f", 1.2, [slot.x + 4, y + 11 - lift], [slot.x + 8, y + 6 - lift]);
      if (slot.tile[0] % 4 === 0) mug(p, slot.x + 15, y + 8 - lift, "#8fae9f");
      else books(p, slot.x + 11, y + 11 - lift, 2, slot.tile[1]);
    });
  }
  for (const slot of kit.slots("board")) whiteboard(kit, slot.tile[0]);
  blocks(kit.room).forEach(([bx, by, columns], n) => {
    if (n % 2) projector(kit, left(bx) + 8, top(by) + 12, columns * TILE.w - 16);
    else lectern(kit, left(bx) + 6, top(by) + 10, columns * TILE.w - 12);
  });
  const [x0, , x1, y1] = kit.room.area;
  if (!kit.doorAt(x0, kit.room.area[1])) plant(kit, rect.x + 18, rect.y + 20, 0.95);
  if (kit.free(x1, y1, 1, 1)) plant(kit, rect.x + rect.w - 18, rect.y + rect.h - 30);
}

/** The board stands at the wall, where no door is, as near to who teaches as can be. */
function whiteboard(kit: Kit, column: number): void {
  const [x0, y0, x1] = kit.room.area;
  const open = (x: number) => x >= x0 && x <= x1 && !kit.doorAt(x, y0);
  let [from, to] = [column, column];
  while (open(to + 1) && to - from < 3) to++;
  while (open(from - 1) && to - from < 3) from--;
  const [x, w] = [left(from) + 5, (to - from + 1) * TILE.w - 12];
  standingBoard(kit, x, kit.rect.y + 12, w, 40, "#fbfcfa", (p, bx, by) => writing(p, bx + 8, by + 8, w - 16));
}

/** Sketches that mean nothing in particular. */
function writing(p: Pen, x: number, y: number, w: number): void {
  for (let n = 0; n < 4; n++)
    stroke(p, n ? "#8fa0bd" : "#4f8f86", n ? 1 : 1.6, [x, y + n * 6], [x + w * [0.3, 0.36, 0.26, 0.32][n]!, y + n * 6]);
  stroke(p, "#7d8bb0", 1.2, [x + w * 0.5, y + 24], [x + w * 0.5, y], [x + w * 0.5, y + 24], [x + w * 0.95, y + 24]);
  stroke(
    p,
    "#d0875f",
    1.5,
    [x + w * 0.53, y + 21],
    [x + w * 0.62, y + 14],
    [x + w * 0.72, y + 16],
    [x + w * 0.84, y + 6],
    [x + w * 0.93, y + 3],
  );
}

function lectern(kit: Kit, x: number, y: number, w: number): void {
  kit.piece({ x, y, w, d: 16, h: 46 }, (p) => {
    box(p, x, y, w, 16, 24, STUFF.woodPale, { r: 3, front: STUFF.wood });
    round(p, x + 5, y + 16 - 18, w - 10, 12, 2, mix(STUFF.wood, "#fff4e0", 0.24), false);
    screen(p, x + w / 2, y - 14, 20, 13, "back");
    bottle(p, x + w - 6, y - 12, "#8fc0d8", 8);
  });
}

function projector(kit: Kit, x: number, y: number, w: number): void {
  kit.piece({ x, y, w, d: 16, h: 32 }, (p) => {
    for (const dx of [3, w - 3]) {
      stroke(p, "#9aa4b4", 2, [x + dx, y + 14], [x + dx, y - 6]);
      oval(p, x + dx, y + 15, 2, 2, "#5a6178");
    }
    box(p, x, y, w, 15, 2.4, STUFF.steel, { z: 5, r: 2 });
    box(p, x, y, w, 15, 2.4, lit(STUFF.steel, 0.4), { z: 17, r: 2 });
    box(p, x + 3, y + 2, w - 6, 10, 7, "#eef0f4", { z: 19, r: 2.5 });
    oval(p, x + w / 2, y + 12 - 22.4, 3, 2.6, "#5d7192");
  });
}
