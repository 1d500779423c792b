// Beds, couches and tables on which somebody lies: the head at the north, or at the west or east.
import { lit, shaded } from "../colour.ts";
import type { Facing } from "../contract.ts";
import { STUFF } from "../palette.ts";
import { type Pen, box, edge, oval, round, stroke, sweep } from "../pen.ts";
import type { Kit } from "./kit.ts";

/** The height of what people lie on. */
export const MATTRESS = 17;
/** From the middle of the slot's tile to the head and the foot of a bed. */
export const HEAD = 60;
export const FOOT = 19;

export type BedKind = "ward" | "simulation" | "couch" | "scanner";

/** `feet` is the side to which the feet lie: "south", "east" or "west". */
export function bed(kit: Kit, x: number, y: number, feet: Facing, kind: BedKind): void {
  if (feet === "south" || feet === "north") upright(kit, x, y, kind);
  else across(kit, x, y, feet, kind);
}

function upright(kit: Kit, x: number, y: number, kind: BedKind): void {
  const w = kind === "scanner" ? 28 : 36;
  const [l, t, length] = [x - w / 2, y - HEAD, HEAD + FOOT];
  kit.piece({ x: l - 3, y: t - 4, w: w + 6, d: length, h: 40, depth: y - 2 }, (p) => {
    if (kind === "ward" || kind === "simulation") {
      for (const dx of [3, w - 3]) wheel(p, l + dx, y + FOOT - 3);
      box(p, l - 1.5, t - 3, w + 3, 4, 34, kind === "ward" ? STUFF.woodPale : "#d9d3e8", { r: 4 });
      box(p, l, t, w, length, 5, STUFF.steel, { z: 6, r: 4 });
    } else if (kind === "couch") {
      for (const dx of [4, w - 8]) round(p, l + dx, y + FOOT - 12, 4, 12, 1, "#b9c2cf");
      box(p, l + 1, t + 2, w - 2, length - 3, 4, STUFF.steel, { z: 7, r: 4 });
    } else {
      box(p, x - 9, t + 14, 18, length - 18, 12, "#dfe5ee", { r: 4 });
    }
    mattress(p, l, t, w, length, kind);
  });
  if (kind === "ward" || kind === "simulation")
    kit.piece({ x: l - 2, y: y + FOOT, w: w + 4, d: 3, h: 22, shadow: "none" }, (p) => {
      box(p, l - 1, y + FOOT, w + 2, 3, 15, kind === "ward" ? STUFF.woodPale : "#d9d3e8", { z: 6, r: 4 });
      round(p, x - 6, y + FOOT - 12, 12, 8, 1, STUFF.paper);
      stroke(p, "#b9c0cc", 0.8, [x - 4, y + FOOT - 9.6], [x + 4, y + FOOT - 9.6]);
      stroke(p, "#b9c0cc", 0.8, [x - 4, y + FOOT - 7.4], [x + 2, y + FOOT - 7.4]);
    });
}

function mattress(p: Pen, l: number, t: number, w: number, length: number, kind: BedKind): void {
  const hex = kind === "couch" ? "#8fbfb4" : kind === "scanner" ? "#93a9c8" : STUFF.linen;
  box(p, l + 0.5, t, w - 1, length - 1, 6, hex, { z: MATTRESS - 6, r: 5, front: shaded(hex, 0.04) });
  const z = MATTRESS;
  if (kind === "couch") round(p, l + 6, t - z + 4, w - 12, length - 10, 2, lit(STUFF.paper, 0.1), false);
  round(p, l + 4, t - z + 3, w - 8, 17, 5, kind === "couch" ? "#a9d0c7" : STUFF.white);
  round(p, l + 7, t - z + 5, w - 16, 7, 3.5, "#ffffff", false);
  if (kind === "ward" || kind === "simulation") {
    const [y, h] = [t - z + 30, length - 31];
    round(p, l - 0.5, y, w + 1, h + 4, 4, kind === "ward" ? STUFF.blanket : "#bcb3dc");
    round(p, l - 0.5, y, w + 1, 7, 3, STUFF.white);
    p.c.globalAlpha = 0.35;
    for (const dx of [0.3, 0.62]) stroke(p, "#ffffff", 1.2, [l + w * dx, y + 12], [l + w * dx - 2, y + h - 4]);
    p.c.globalAlpha = 1;
  }
}

function across(kit: Kit, x: number, y: number, feet: "east" | "west", kind: BedKind): void {
  const d = 30;
  const l = feet === "east" ? x - HEAD : x - FOOT;
  const w = HEAD + FOOT;
  const board = feet === "east" ? l - 3 : l + w;
  const hex = kind === "couch" ? "#8fbfb4" : kind === "scanner" ? "#93a9c8" : STUFF.linen;
  kit.piece({ x: l - 3, y: y - 15, w: w + 6, d: d + 2, h: 32, depth: y - 2 }, (p) => {
    box(p, l, y - 14, w, d, 6, STUFF.steel, { z: 5, r: 4 });
    box(p, l, y - 14, w, d, 6, hex, { z: MATTRESS - 6, r: 5, front: shaded(hex, 0.05) });
    const pillow = feet === "east" ? l + 4 : l + w - 21;
    round(p, pillow, y - 14 - MATTRESS + 4, 17, d - 8, 5, STUFF.white);
    if (kind === "ward" || kind === "simulation") {
      const from = feet === "east" ? l + 32 : l;
      round(p, from, y - 14 - MATTRESS, w - 32, d + 3, 4, kind === "ward" ? STUFF.blanket : "#bcb3dc");
      box(p, board, y - 15, 4, d, 26, STUFF.woodPale, { r: 2 });
    }
  });
}

function wheel(p: Pen, x: number, y: number): void {
  oval(p, x, y + 1, 2.6, 2.6, "#5a6178");
}

/** A bag on a stand. */
export function drip(kit: Kit, x: number, y: number): void {
  kit.piece({ x: x - 8, y: y - 3, w: 16, d: 6, h: 62, shadow: "pool" }, (p) => {
    for (const dx of [-6, 0, 6]) stroke(p, "#9aa4b4", 1.6, [x, y - 2], [x + dx, y + 2 - Math.abs(dx) * 0.2]);
    stroke(p, "#aab4c3", 1.8, [x, y - 1], [x, y - 60]);
    stroke(p, "#aab4c3", 1.5, [x - 5, y - 59], [x + 5, y - 59]);
    round(p, x - 8, y - 58, 7.4, 13, 2.6, "#e6f2f4");
    round(p, x - 7.2, y - 52, 5.8, 6.4, 2, "#bcdde2", false);
    stroke(p, "#c3d7de", 1, [x - 4.2, y - 45], [x - 3.6, y - 30], [x - 7, y - 16]);
    round(p, x - 3, y - 34, 7, 9, 1.5, "#f2f4f7");
    round(p, x - 1.8, y - 32.4, 4.6, 3, 0.8, "#7fb7c4", false);
  });
}

/** Curtains on a rail at the head of a bed, drawn back to both sides; `y` is the floor line. */
export function curtains(kit: Kit, x: number, y: number, half: number, hex: string): void {
  kit.piece({ x: x - half - 9, y: y - 4, w: 2 * half + 18, d: 4, h: 62, shadow: "none" }, (p) => {
    stroke(p, "#b4bdca", 2, [x - half - 7, y - 59], [x + half + 7, y - 59]);
    for (const side of [-1, 1]) gathered(p, x + side * half, y, side, hex);
  });
}

function gathered(p: Pen, x: number, y: number, side: number, hex: string): void {
  const [top, tie] = [y - 58, y - 24];
  p.c.beginPath();
  p.c.moveTo(x + side * 6, top);
  p.c.lineTo(x - side * 7, top);
  p.c.quadraticCurveTo(x - side * 5, tie - 12, x + side * 1, tie);
  p.c.quadraticCurveTo(x - side * 1, y - 12, x - side * 2.4, y - 2);
  p.c.quadraticCurveTo(x + side * 2, y + 0.6, x + side * 7, y - 2);
  p.c.quadraticCurveTo(x + side * 6.4, tie, x + side * 6, top);
  p.c.fillStyle = sweep(p, x - 7, 14, hex, 0.1);
  p.c.fill();
  edge(p, hex);
  for (const dx of [-3.4, 0, 3.2])
    stroke(
      p,
      shaded(hex, 0.12),
      1,
      [x + side * dx, top + 2],
      [x + side * (3 + dx * 0.35), tie],
      [x + side * (2.4 + dx * 0.7), y - 4],
    );
  stroke(p, lit(hex, 0.5), 2.2, [x + side * 0.8, tie], [x + side * 6.4, tie - 0.6]);
}
