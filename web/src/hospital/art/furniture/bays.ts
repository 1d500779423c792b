// The ward, the simulation suite and the control room behind its glass.
import { lit, mix } from "../colour.ts";
import { glassPane } from "../walls.ts";
import { LOW, TILE, left, spot, top } from "../grid.ts";
import { STUFF } from "../palette.ts";
import { box, oval, round, stroke } from "../pen.ts";
import { HEAD, bed, curtains, drip } from "./beds.ts";
import { chair } from "./chairs.ts";
import { cupboard, plant } from "./common.ts";
import type { Kit } from "./kit.ts";
import { bottle, keyboard, light, mug, paper, pot, screen } from "./things.ts";

export function ward(kit: Kit): void {
  const { rect } = kit;
  const [x0, y0, x1, y1] = kit.room.area;
  for (const slot of kit.slots("bed")) {
    bed(kit, slot.x, slot.y, kit.facing(slot.name), "ward");
    bedside(kit, slot.x - 38, slot.y - 52);
    curtains(kit, slot.x, slot.y - HEAD - 2, 40, "#f0c2b3");
    monitor(kit, slot.x + 33, slot.y - 50);
    drip(kit, slot.x + 30, slot.y - 22);
    kit.lay((p) => round(p, slot.x - 46, slot.y - 66, 92, 98, 12, mix(kit.accent, "#fbf0e4", 0.8), false));
  }
  // Other beds stand where nobody passes: along the sides, two tiles each.
  for (const column of [x1, x0])
    for (let y = y0 + 1; y + 1 < y1; y += 4) {
      if (!kit.free(column, y, 1, 2)) continue;
      const [cx, cy] = spot(column, y + 1);
      bed(kit, cx, cy, "south", "ward");
      curtains(kit, cx, cy - HEAD - 2, 13, "#f0c2b3");
    }
  const row = y1 - 1;
  for (let x = x0 + 2; x + 2 < x1; x++) {
    if (!kit.free(x, row, 3, 1) || x < (x0 + x1) / 2 - 2) continue;
    station(kit, left(x) + 4, top(row) + 14, 3 * TILE.w - 8);
    break;
  }
  if (kit.free(x1, y1, 1, 1)) plant(kit, rect.x + rect.w - 19, rect.y + rect.h - 32, 1.1);
}

/** The cabinet at a bed's head with a jug and a lamp. */
function bedside(kit: Kit, x: number, y: number): void {
  cupboard(kit, x - 6, y, 22, 15, 20, "#ecd8bd", 1, (p) => {
    round(p, x - 2, y - 19, 6, 9, 2, "#d4e9ef");
    mug(p, x + 9, y - 9, "#f6f1e8");
    stroke(p, "#d98a7a", 1.4, [x + 12, y - 13], [x + 12.4, y - 17]);
  });
}

/** A monitor on a stand. */
function monitor(kit: Kit, x: number, y: number): void {
  kit.piece({ x: x - 13, y: y - 4, w: 26, d: 8, h: 56, shadow: "pool" }, (p) => {
    for (const dx of [-8, 8]) stroke(p, "#8b93a6", 2, [x, y], [x + dx, y + 3]);
    stroke(p, "#aab4c3", 2.4, [x, y], [x, y - 34]);
    screen(p, x, y - 28, 26, 20, "trace");
    round(p, x - 5, y - 20, 10, 4, 1.4, "#dfe5ec");
  });
}

/** The nurses' station. */
function station(kit: Kit, x: number, y: number, w: number): void {
  kit.piece({ x, y, w, d: 20, h: 44 }, (p) => {
    box(p, x, y, w, 20, 21, "#f0dfc6", { front: "#f8efe4", r: 9 });
    round(p, x + 7, y + 20 - 15, w - 14, 10, 3, mix(kit.accent, "#fff3ea", 0.62), false);
    const lift = y - 21;
    screen(p, x + w * 0.3, lift + 11, 24, 17);
    keyboard(p, x + w * 0.3, lift + 14.4);
    paper(p, x + w * 0.55, lift + 11, 0.12);
    pot(p, x + w * 0.72, lift + 11, "#dfe9e4");
    bottle(p, x + w - 14, lift + 13, "#8fc0d8", 8);
    for (let n = 0; n < 3; n++)
      round(p, x + w * 0.8 + n * 4, lift + 1, 3.2, 11, 0.8, ["#c98a78", "#7fa9a0", "#8f93bf"][n]!);
  });
}

export function simulation(kit: Kit): void {
  const { rect } = kit;
  const [x0, y0, x1] = kit.room.area;
  for (const slot of kit.slots("bed")) {
    kit.lay((p) => {
      round(p, slot.x - 74, slot.y - 62, 148, 126, 16, mix(kit.accent, "#efeaf8", 0.7), false);
      round(p, slot.x - 71, slot.y - 59, 142, 120, 13, mix(kit.accent, "#efeaf8", 0.84), false);
    });
    bed(kit, slot.x, slot.y, kit.facing(slot.name), "simulation");
    arm(kit, slot.x - 34, slot.y - 54);
    drip(kit, slot.x + 27, slot.y - 40);
  }
  const side = kit.free(x1, y0 + 1, 1, 1) ? x1 : x0;
  if (kit.free(side, y0 + 2, 1, 1)) cart(kit, left(side) + 5, top(y0 + 2) + 8);
  for (let n = 0; n < 2; n++)
    if (kit.free(x0, y0 + 1 + n, 1, 1)) cupboard(kit, rect.x + 7, top(y0 + 1 + n), 24, 34, 24, "#e6e0f1", 1);
  if (kit.free(side, y0 + 4, 1, 1)) airway(kit, left(side) + 10, top(y0 + 4) + 2);
  const panes = kit.grid.walls().filter((wall) => wall.kind === "glass" && wall.along === "x");
  for (const wall of panes) {
    const y = top(wall.y);
    const inside = wall.x >= x0 && wall.x <= x1 && (wall.y === kit.room.area[3] + 1 || wall.y === y0);
    if (!inside) continue;
    const w = wall.length * TILE.w;
    kit.piece({ x: left(wall.x), y: y - 2, w, d: 4, h: LOW + 38, depth: y, shadow: "none" }, (p) =>
      glassPane(p, wall, 34),
    );
  }
}

/** A monitor on an arm at the head of the bed. */
function arm(kit: Kit, x: number, y: number): void {
  kit.piece({ x: x - 18, y: y - 5, w: 34, d: 10, h: 70, shadow: "pool" }, (p) => {
    oval(p, x - 4, y, 8, 3.4, "#8b93a6");
    stroke(p, "#c2cad6", 4, [x - 4, y - 1], [x - 4, y - 50]);
    stroke(p, "#c2cad6", 3, [x - 4, y - 44], [x + 1, y - 40]);
    screen(p, x, y - 36, 32, 24, "trace");
  });
}

/** The trolley for emergencies with the defibrillator on it. */
function cart(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 32, d: 19, h: 54 }, (p) => {
    for (const dx of [4, 28]) oval(p, x + dx, y + 18.5, 2.4, 2.4, "#5a6178");
    box(p, x, y, 32, 17, 26, "#f2dcd5", { z: 3, r: 3, front: STUFF.coral });
    for (let n = 0; n < 3; n++) {
      round(p, x + 2.5, y + 17 - 26.5 + n * 8, 27, 6.6, 1.4, lit(STUFF.coral, 0.16));
      stroke(p, "#fff3ea", 1.3, [x + 12, y + 17 - 23 + n * 8], [x + 20, y + 17 - 23 + n * 8]);
    }
    const lift = y - 29;
    stroke(p, "#e0a44a", 2, [x + 6, lift - 6], [x + 8, lift - 10], [x + 18, lift - 10], [x + 20, lift - 6]);
    box(p, x + 3, lift + 2, 20, 9, 11, "#f4f5f7", { r: 3, front: "#dfe3ea" });
    round(p, x + 5, lift + 1.5, 11, 8, 1.4, STUFF.screen);
    light(
      p,
      "#86e3b4",
      0.9,
      [x + 6, lift + 5],
      [x + 8.4, lift + 5],
      [x + 9.6, lift + 2],
      [x + 11, lift + 5],
      [x + 15, lift + 5],
    );
    stroke(p, "#56637c", 1.4, [x + 23, lift + 6], [x + 28, lift + 8], [x + 29, lift + 14]);
    oval(p, x + 18.8, lift + 4, 1.6, 1.6, "#d9604f");
  });
}

/** Oxygen and tubing on a stand. */
function airway(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 22, d: 14, h: 40 }, (p) => {
    round(p, x + 2, y - 26, 8, 36, 4, "#f4f6f8");
    round(p, x + 2, y - 26, 8, 9, 4, "#8fb9dd", false);
    round(p, x + 12, y - 22, 8, 32, 4, "#dfe6ea");
    round(p, x + 12, y - 22, 8, 8, 4, "#7f96bd", false);
    stroke(p, "#9aa4b4", 2, [x, y - 4], [x + 22, y - 4]);
    stroke(p, "#9aa4b4", 2.4, [x, y + 11], [x + 22, y + 11]);
  });
}

export function control(kit: Kit): void {
  const { rect } = kit;
  const slots = kit.slots("glass");
  const xs = slots.map((slot) => slot.x);
  const [from, to] = slots.length ? [Math.min(...xs) - 40, Math.max(...xs) + 40] : [rect.x + 20, rect.x + rect.w - 20];
  deskUnderGlass(kit, from, rect.y + 4, to - from);
  const [x0, y0, x1, y1] = kit.room.area;
  if (y1 - y0 >= 2) {
    for (const slot of slots)
      if (kit.free(slot.tile[0], slot.tile[1] + 1, 1, 1))
        chair(kit, slot.x + 20, slot.y + 34, "north", { hex: "#5d658c", swivel: true });
    if (kit.free(x1, y1, 1, 1)) plant(kit, rect.x + rect.w - 18, rect.y + rect.h - 30);
    if (kit.free(x0, y0 + 1, 1, 1)) rackOfServers(kit, rect.x + 8, rect.y + 18);
  }
}

/** Low screens beneath the glass: who stands here looks over them into the suite. */
function deskUnderGlass(kit: Kit, x: number, y: number, w: number): void {
  kit.piece({ x, y, w, d: 11, h: 36 }, (p) => {
    box(p, x, y, w, 11, 15, "#a9a3c4", { front: "#8d87ad", r: 4 });
    const lift = y - 15;
    const shows = ["trace", "text", "scan", "trace", "text"] as const;
    const count = Math.max(2, Math.floor(w / 36));
    for (let n = 0; n < count; n++) screen(p, x + ((n + 0.5) * w) / count, lift + 7, 25, 14, shows[n % shows.length]!);
    for (let n = 0; n < count; n++) round(p, x + ((n + 0.5) * w) / count - 9, lift + 7.4, 18, 2.8, 1, "#d9d5e8");
  });
}

function rackOfServers(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 26, d: 16, h: 46 }, (p) => {
    box(p, x, y, 26, 16, 44, "#6f6a92", { r: 3 });
    for (let n = 0; n < 5; n++) {
      round(p, x + 3, y - 24 + n * 7.4, 20, 5.4, 1, "#4f4a70");
      light(p, n % 2 ? "#8fe0d6" : "#f0d37c", 1.4, [x + 6, y - 21.4 + n * 7.4], [x + 6.4, y - 21.4 + n * 7.4]);
      light(p, "#8fb9dd", 1, [x + 10, y - 21.4 + n * 7.4], [x + 19, y - 21.4 + n * 7.4]);
    }
  });
}
