// Chairs, stools and sofas: what is in front of somebody seated is a piece of its own.
import { lit, shaded } from "../colour.ts";
import type { Facing } from "../contract.ts";
import { STUFF } from "../palette.ts";
import { type Pen, box, oval, round, stroke } from "../pen.ts";
import type { Kit } from "./kit.ts";

export interface ChairLook {
  hex: string;
  arms?: boolean;
  /** A swivel foot instead of four legs. */
  swivel?: boolean;
}

/** The height of a seat: `people` sit at this height. */
export const SEAT = 14;

export function chair(kit: Kit, x: number, y: number, side: Facing, look: ChairLook): void {
  const foot = { x: x - 14, y: y - 13, w: 28, d: 20, h: 36, shadow: "pool" as const };
  kit.piece({ ...foot, depth: y - 1 }, (p) => {
    if (look.swivel) swivelFoot(p, x, y);
    else legs(p, x, y);
    if (side === "south") back(p, x - 12, y - 11, 24, look.hex);
    if (side === "east") sideBack(p, x - 13.5, y, look.hex);
    if (side === "west") sideBack(p, x + 9, y, look.hex);
    box(p, x - 11.5, y - 8.5, 23, 15.5, 4.5, lit(look.hex, 0.1), {
      z: SEAT - 4.5,
      r: 4,
      front: shaded(look.hex, 0.08),
    });
    if (look.arms && side !== "north") for (const ax of side === "south" ? [x - 13.5, x + 10] : []) arm(p, ax, y);
  });
  if (side !== "north") return;
  kit.piece({ x: x - 14, y: y + 7, w: 28, d: 5, h: 36, shadow: "none" }, (p) => {
    box(p, x - 11.5, y + 7, 23, 4, 19, look.hex, { z: SEAT - 1, r: 4 });
  });
}

function legs(p: Pen, x: number, y: number): void {
  for (const dx of [-9.5, 9.5]) {
    stroke(p, "#7b7f92", 1.8, [x + dx, y - 8], [x + dx, y - 12]);
    stroke(p, "#7b7f92", 2, [x + dx, y - 6], [x + dx, y + 6.5]);
  }
}

function swivelFoot(p: Pen, x: number, y: number): void {
  stroke(p, "#6c7286", 2, [x - 9, y + 3], [x + 9, y + 3]);
  stroke(p, "#6c7286", 2, [x - 5, y + 6], [x + 5, y]);
  stroke(p, "#858b9e", 3, [x, y + 2], [x, y - 8]);
  for (const dx of [-9, 9]) oval(p, x + dx, y + 4, 1.8, 1.5, "#4d546b", false);
}

function back(p: Pen, x: number, y: number, w: number, hex: string): void {
  round(p, x, y - 34, w, 26, 5, hex);
  round(p, x + 2.5, y - 31.5, w - 5, 18, 4, lit(hex, 0.16), false);
}

function sideBack(p: Pen, x: number, y: number, hex: string): void {
  box(p, x, y - 10, 4.5, 16, 20, hex, { z: SEAT - 2, r: 2.2 });
}

function arm(p: Pen, x: number, y: number): void {
  box(p, x, y - 6, 3.4, 11, 2.4, lit(STUFF.wood, 0.1), { z: SEAT + 5, r: 1.5 });
}

export function stool(kit: Kit, x: number, y: number, hex: string): void {
  kit.piece({ x: x - 9, y: y - 7, w: 18, d: 13, h: 14, shadow: "pool" }, (p) => {
    swivelFoot(p, x, y);
    oval(p, x, y - 9, 8.4, 5.2, shaded(hex, 0.15));
    oval(p, x, y - 11, 8.4, 5.2, hex);
  });
}

/** A sofa along x for the seats at `xs`, seen from its front (south) or its back. */
export function sofa(kit: Kit, xs: number[], y: number, hex: string): void {
  const [from, to] = [Math.min(...xs) - 20, Math.max(...xs) + 20];
  kit.piece({ x: from - 2, y: y - 16, w: to - from + 4, d: 24, h: 32, depth: y - 1 }, (p) => {
    box(p, from, y - 15, to - from, 8, 31, hex, { r: 6 });
    for (const x of xs) round(p, x - 19, y - 32, 38, 20, 6, lit(hex, 0.13));
    box(p, from + 3, y - 9, to - from - 6, 17, SEAT - 2, hex, { r: 4 });
    for (const x of xs) box(p, x - 19, y - 9, 38, 16, 4, lit(hex, 0.16), { z: SEAT - 4, r: 4 });
    for (const x of [from - 2, to - 5]) box(p, x, y - 11, 7, 19, 21, shaded(hex, 0.03), { r: 3.5 });
  });
}
