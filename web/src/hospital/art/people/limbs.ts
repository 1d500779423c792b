// Arms and legs: rounded strokes with an edge, bent at one joint.
import { shaded } from "../colour.ts";
import { type Pen, edge, oval, round } from "../pen.ts";
import type { Build } from "./build.ts";
import type { Dress } from "./dress.ts";

export type Point = readonly [number, number];
export type View = "front" | "back" | "side";

export function limb(p: Pen, width: number, hex: string, points: readonly Point[]): void {
  for (const [w, colour] of [
    [width + 1.7, shaded(hex, 0.32)],
    [width, hex],
  ] as const) {
    p.c.beginPath();
    points.forEach(([x, y], n) => (n ? p.c.lineTo(x, y) : p.c.moveTo(x, y)));
    p.c.lineCap = "round";
    p.c.lineJoin = "round";
    p.c.lineWidth = w;
    p.c.strokeStyle = p.tone(colour);
    p.c.stroke();
  }
}

const between = (a: Point, b: Point, t: number): Point => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];

/** An arm with its sleeve and hand. */
export function arm(p: Pen, dress: Dress, skin: string, hex: string, shoulder: Point, elbow: Point, hand: Point): void {
  if (dress.shortSleeves) {
    limb(p, 3.9, skin, [between(shoulder, elbow, 0.5), elbow, hand]);
    limb(p, 5.6, hex, [shoulder, between(shoulder, elbow, 0.75)]);
  } else {
    oval(p, hand[0], hand[1], 2.4, 2.6, skin);
    limb(p, 4.7, hex, [shoulder, elbow, between(elbow, hand, 0.66)]);
  }
}

function shoe(p: Pen, x: number, y: number, view: View, hex: string): void {
  if (view === "side") {
    p.c.beginPath();
    p.c.roundRect(x - 3.4, y - 3.6, 9, 4.4, [2.4, 3, 1.2, 1.2]);
    p.c.fillStyle = p.tone(hex);
    p.c.fill();
    edge(p, hex);
  } else oval(p, x, y - 1.5, 3.8, view === "front" ? 2.7 : 2.2, hex);
}

/** Legs from the hip at `hip` (up is negative); `swing` runs from -1 to 1 over a step. */
export function standingLegs(
  p: Pen,
  build: Build,
  dress: Dress,
  skin: string,
  view: View,
  hip: number,
  swing: number,
): void {
  const cloth = dress.skirt ? skin : dress.legs;
  const width = dress.skirt ? 4.6 : 7;
  if (view === "side") {
    for (const side of [-1, 1]) {
      const reach = swing * side;
      const back = Math.max(0, -reach);
      const foot: Point = [reach * 8.5, -2.4 - back * 3.4];
      const knee: Point = [reach * 4 + 0.5 + back * 1.8, hip / 2 - 0.6];
      limb(p, width, side < 0 ? shaded(cloth, 0.14) : cloth, [[side * 0.6, hip], knee, [foot[0], foot[1] - 2.6]]);
      shoe(p, foot[0], foot[1] + 2.2, view, side < 0 ? shaded(dress.shoes, 0.2) : dress.shoes);
    }
  } else
    for (const side of [-1, 1]) {
      const lift = Math.max(0, swing * side) * 4.6;
      const x = side * (build.leg + 0.7);
      if (view === "back") shoe(p, x, -lift, view, dress.shoes);
      limb(p, width, view === "front" ? cloth : shaded(cloth, 0.05), [
        [side * build.leg, hip],
        [x, hip / 2 - lift * 0.5],
        [x, -5.6 - lift],
      ]);
      if (view === "front") shoe(p, x, -lift, view, dress.shoes);
    }
  if (dress.skirt) skirt(p, build, dress.skirt, view, hip, 15);
}

function skirt(p: Pen, build: Build, hex: string, view: View, hip: number, long: number): void {
  const [w, flare] = view === "side" ? [6.6, 8.4] : [build.hip, build.hip + 2.4];
  p.c.beginPath();
  p.c.moveTo(-w, hip - 3);
  p.c.lineTo(w, hip - 3);
  p.c.quadraticCurveTo(w + 1, hip + 6, flare, hip + long);
  p.c.quadraticCurveTo(0, hip + long + 2.4, -flare, hip + long);
  p.c.quadraticCurveTo(-w - 1, hip + 6, -w, hip - 3);
  p.c.fillStyle = p.tone(hex);
  p.c.fill();
  edge(p, hex);
}

/** Legs of somebody seated; `hip` is the height of the seat. From behind none are seen. */
export function seatedLegs(p: Pen, build: Build, dress: Dress, skin: string, view: View, hip: number): void {
  const cloth = dress.skirt ? skin : dress.legs;
  if (view === "back") {
    round(p, -build.hip - 0.4, hip - 4, build.hip * 2 + 0.8, 8, 4, dress.skirt || dress.legs);
    return;
  }
  if (view === "side") {
    for (const far of [true, false]) {
      const foot: Point = [far ? 12.4 : 10.6, far ? -2.8 : -2];
      const hex = far ? shaded(cloth, 0.14) : cloth;
      limb(p, dress.skirt ? 4.6 : 6.6, hex, [
        [10.8 + (far ? 1 : 0), hip + 0.4],
        [foot[0], foot[1] - 2.4],
      ]);
      shoe(p, foot[0], foot[1] + 2, view, far ? shaded(dress.shoes, 0.2) : dress.shoes);
      limb(p, 7.4, far ? hex : dress.skirt || cloth, [
        [-1.5, hip - 0.6],
        [10.4 + (far ? 1 : 0), hip],
      ]);
    }
    return;
  }
  for (const side of [-1, 1]) {
    const x = side * 5;
    limb(p, dress.skirt ? 4.6 : 6.6, shaded(cloth, 0.05), [
      [x, hip + 7],
      [x, 3.4],
    ]);
    shoe(p, x, 8.4, view, dress.shoes);
    limb(p, 7.6, dress.skirt || cloth, [
      [side * 4, hip - 1],
      [x, hip + 6],
    ]);
  }
}
