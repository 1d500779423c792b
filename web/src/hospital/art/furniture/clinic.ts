// Consulting rooms and the examination corners that belong to them.
import { lit, mix } from "../colour.ts";
import { rug } from "../floors.ts";
import { TILE, blocks, left, top } from "../grid.ts";
import { STUFF } from "../palette.ts";
import { box, oval, round, stroke } from "../pen.ts";
import { HEAD, bed, curtains } from "./beds.ts";
import { chair, stool } from "./chairs.ts";
import { bookshelf, cupboard, plant } from "./common.ts";
import type { Kit } from "./kit.ts";
import { bottle, keyboard, lamp, mug, paper, pot, screen } from "./things.ts";

export function consulting(kit: Kit): void {
  const { rect } = kit;
  const talk = [...kit.slots("doctor"), ...kit.slots("patient")];
  if (talk.length) {
    const xs = talk.map((slot) => slot.x);
    const [cx, cy] = [(Math.min(...xs) + Math.max(...xs)) / 2, talk[0]!.y + 8];
    const w = Math.max(...xs) - Math.min(...xs) + 106;
    kit.lay((p) => rug(p, cx - w / 2, cy - 36, w, 76, kit.accent, "round"));
  }
  for (const [bx, by, columns] of blocks(kit.room)) desk(kit, left(bx) + 2, top(by) + 7, columns * TILE.w - 4);
  for (const slot of kit.slots("doctor"))
    chair(kit, slot.x, slot.y, kit.facing(slot.name), { hex: "#5d7f94", swivel: true });
  for (const name of ["patient", "carer"])
    for (const slot of kit.slots(name))
      chair(kit, slot.x, slot.y, kit.facing(slot.name), { hex: name === "patient" ? "#d99a7c" : "#d9b46a" });
  const [x0, y0, x1, y1] = kit.room.area;
  const low = y1 - y0 > 3;
  if (low && !kit.doorAt(x0, y0 + 2)) bookshelf(kit, rect.x + 6, rect.y + TILE.h * 2 + 12, 36, 2);
  if (low) plant(kit, rect.x + 17, rect.y + rect.h - 40, 0.95);
  if (!kit.doorAt(x1, y0)) plant(kit, rect.x + rect.w - 17, rect.y + 22, 0.9);
  if (low)
    cupboard(kit, rect.x + rect.w - 21, rect.y + rect.h * 0.36, 16, 30, 20, "#dfe7e2", 1, (p) => {
      round(p, rect.x + rect.w - 20, rect.y + rect.h * 0.36 - 22, 14, 11, 2, "#eef1f3");
      round(p, rect.x + rect.w - 18, rect.y + rect.h * 0.36 - 15, 10, 2, 0.8, "#9aa6b8", false);
    });
}

/** The desk lies north of those who talk: nothing is between them. */
function desk(kit: Kit, x: number, y: number, w: number): void {
  const [d, h] = [25, 18];
  kit.piece({ x, y, w, d, h: h + 30 }, (p) => {
    box(p, x, y, w, d, 4, STUFF.woodPale, { z: h - 4, r: 4 });
    box(p, x + 3, y + 2, 22, d - 4, h - 4, STUFF.wood, { r: 2 });
    for (let n = 0; n < 2; n++) {
      round(p, x + 5, y + d - 14.5 + n * 6.4, 18, 5, 1, lit(STUFF.wood, 0.14));
      oval(p, x + 14, y + d - 12 + n * 6.4, 1.4, 0.8, "#8a6a48", false);
    }
    stroke(p, "#a98459", 2.6, [x + w - 5, y + d - h + 4], [x + w - 5, y + d - 1]);
    box(p, x, y, w, d, 4, STUFF.woodPale, { z: h - 4, r: 4 });
    const lift = y - h;
    screen(p, x + w * 0.3, lift + 13, 28, 19);
    keyboard(p, x + w * 0.3, lift + 19);
    oval(p, x + w * 0.3 + 13, lift + 19, 1.8, 2.4, "#eef0f3");
    paper(p, x + w * 0.62, lift + 16, -0.14);
    paper(p, x + w * 0.7, lift + 18, 0.12);
    stroke(p, "#3f6fa0", 1.2, [x + w * 0.69, lift + 20], [x + w * 0.75, lift + 15]);
    pot(p, x + w - 26, lift + 9, "#cfe0da");
    mug(p, x + 11, lift + 16, "#d98a7a");
    lamp(p, x + w - 13, lift + 12);
  });
}

export function examination(kit: Kit): void {
  const { rect } = kit;
  for (const slot of kit.slots("couch")) {
    bed(kit, slot.x, slot.y, kit.facing(slot.name), "couch");
    curtains(kit, slot.x, slot.y - HEAD + 1, 32, "#a5d2c6");
    stool(kit, slot.x - 31, slot.y - 22, "#5d7f94");
  }
  sink(kit, rect.x + 26, rect.y + 6);
  scales(kit, rect.x + 68, rect.y + 9);
  trolley(kit, rect.x + rect.w - 36, rect.y + 8, kit.accent);
}

export function sink(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 30, d: 14, h: 48 }, (p) => {
    box(p, x, y, 30, 14, 20, STUFF.white, { r: 4, front: "#eef1f0" });
    oval(p, x + 15, y - 13.4, 10, 4.6, "#d9e6ea");
    oval(p, x + 15, y - 12.6, 7, 3, "#c2d6dd", false);
    stroke(p, "#9aa8b8", 2, [x + 15, y - 19], [x + 15, y - 24], [x + 15, y - 25], [x + 18, y - 23], [x + 18, y - 19]);
    bottle(p, x + 6, y - 17, "#8fc0d8", 7);
    round(p, x + 21, y - 30, 7, 9, 1.6, "#f4f5f8");
    round(p, x + 22.4, y - 24, 4.2, 2.2, 0.6, "#9fd0c0", false);
    round(p, x + 4, y - 44, 20, 17, 3, "#dceaf0");
    p.c.globalAlpha = 0.7;
    stroke(p, "#ffffff", 1.6, [x + 9, y - 31], [x + 15, y - 41]);
    p.c.globalAlpha = 1;
  });
}

/** Scales with a rod that measures height. */
function scales(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 20, d: 13, h: 56 }, (p) => {
    stroke(p, "#b4bdca", 3, [x + 10, y + 2], [x + 10, y - 52]);
    for (let n = 0; n < 9; n++)
      stroke(p, "#6d7890", 0.8, [x + 9, y - 48 + n * 5], [x + (n % 2 ? 11 : 12.4), y - 48 + n * 5]);
    stroke(p, "#8d97aa", 2, [x + 4, y - 44], [x + 12, y - 44]);
    box(p, x, y, 20, 13, 4, "#e9edf1", { r: 3 });
    round(p, x + 4.5, y - 28, 11, 7, 2, "#3c4963");
    round(p, x + 3, y - 1.5, 14, 8, 2.4, "#b9c8c4", false);
  });
}

/** A steel trolley with what an examination needs. */
function trolley(kit: Kit, x: number, y: number, accent: string): void {
  kit.piece({ x, y, w: 28, d: 14, h: 36 }, (p) => {
    for (const dx of [3, 25]) {
      stroke(p, "#aab4c3", 1.8, [x + dx, y + 12], [x + dx, y - 10]);
      oval(p, x + dx, y + 13, 2, 2, "#5a6178");
    }
    box(p, x, y, 28, 13, 2.4, STUFF.steel, { z: 4, r: 2 });
    round(p, x + 5, y - 2, 9, 7, 1.4, mix(accent, "#ffffff", 0.6));
    box(p, x, y, 28, 13, 2.6, lit(STUFF.steel, 0.4), { z: 18, r: 2 });
    bottle(p, x + 6, y - 10, "#8fb9dd");
    bottle(p, x + 12, y - 11, "#e3bd6e", 7);
    round(p, x + 16, y - 15, 9, 5, 1.6, "#fdfbf5");
    stroke(p, "#56637c", 1.3, [x + 16, y - 9], [x + 20, y - 11], [x + 24, y - 9]);
  });
}
