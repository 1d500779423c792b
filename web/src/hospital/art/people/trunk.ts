// The trunk with what is worn on it; the hip is at the origin, the shoulders at -20.
import { lit, shaded } from "../colour.ts";
import { type Pen, edge, oval, round, stroke, sweep } from "../pen.ts";
import type { Build } from "./build.ts";
import type { Dress } from "./dress.ts";
import type { View } from "./limbs.ts";

export function trunk(p: Pen, build: Build, dress: Dress, skin: string, view: View, seated: boolean): void {
  const hem = seated ? Math.min(dress.hem, 4) : dress.hem;
  const [sh, wa, hi] =
    view === "side" ? [6.6, build.waist * 0.86, build.hip * 0.86] : [build.shoulder, build.waist, build.hip];
  outline(p, sh, wa, hi, hem);
  p.c.fillStyle = sweep(p, -sh, sh * 2, dress.hex, 0.08);
  p.c.fill();
  edge(p, dress.hex);
  p.c.save();
  outline(p, sh - 0.4, wa - 0.4, hi - 0.4, hem - 0.4);
  p.c.clip();
  if (dress.stripes) for (let y = -17; y < hem; y += 5) stroke(p, dress.stripes, 1.6, [-14, y], [14, y]);
  if (view !== "back") worn(p, dress, skin, view === "side" ? 3.2 : 0, hem);
  else if (dress.cut === "coat" || dress.cut === "jacket")
    stroke(p, shaded(dress.hex, 0.16), 0.9, [0, 0], [0, hem + 2]);
  p.c.restore();
}

function outline(p: Pen, sh: number, wa: number, hi: number, hem: number): void {
  const low = hi + hem * 0.09;
  p.c.beginPath();
  p.c.moveTo(-3.2, -23.4);
  p.c.bezierCurveTo(-6, -22.6, -sh, -22.4, -sh, -18);
  p.c.bezierCurveTo(-sh, -13, -wa, -11, -wa, -7);
  p.c.bezierCurveTo(-wa, -4, -hi, -2, -low, hem);
  p.c.quadraticCurveTo(0, hem + 2.2, low, hem);
  p.c.bezierCurveTo(hi, -2, wa, -4, wa, -7);
  p.c.bezierCurveTo(wa, -11, sh, -13, sh, -18);
  p.c.bezierCurveTo(sh, -22.4, 6, -22.6, 3.2, -23.4);
  p.c.quadraticCurveTo(0, -22, -3.2, -23.4);
}

function shape(p: Pen, hex: string, ...points: [number, number][]): void {
  p.c.beginPath();
  for (const [x, y] of points) p.c.lineTo(x, y);
  p.c.closePath();
  p.c.fillStyle = p.tone(hex);
  p.c.fill();
}

/** Openings, collars and what hangs on them; `x` is the middle as it is seen. */
function worn(p: Pen, d: Dress, skin: string, x: number, hem: number): void {
  const line = shaded(d.hex, 0.24);
  if (d.cut === "coat" || d.cut === "cardigan") {
    const narrow = d.cut === "coat" ? 2.6 : 1.9;
    shape(
      p,
      d.inner,
      [x - 4.4, -24],
      [x + 4.4, -24],
      [x + narrow, -10],
      [x + narrow, hem + 3],
      [x - narrow, hem + 3],
      [x - narrow, -10],
    );
    shape(p, skin, [x - 2.6, -24], [x + 2.6, -24], [x, -19.6]);
    for (const side of [-1, 1])
      stroke(p, line, 0.9, [x + side * 4.4, -23.6], [x + side * narrow, -10], [x + side * narrow, hem + 2]);
    if (d.cut === "coat") {
      for (const side of [-1, 1]) stroke(p, line, 0.9, [x + side * 5, -16.6], [x + side * 3.4, -15.4]);
      for (const side of [-1, 1]) stroke(p, line, 0.9, [x + side * 4.6, 0], [x + side * 7.6, 0]);
    }
  } else if (d.cut === "jacket") {
    shape(p, d.inner, [x - 3.8, -24], [x + 3.8, -24], [x, -9]);
    if (d.tie) shape(p, d.tie, [x - 1.2, -22.6], [x + 1.2, -22.6], [x + 1.5, -13], [x, -10.6], [x - 1.5, -13]);
    for (const side of [-1, 1])
      stroke(p, lit(d.hex, 0.2), 1.3, [x + side * 3.9, -23.4], [x + side * 4.2, -16], [x, -9]);
    stroke(p, line, 0.9, [x, -9], [x, hem + 1]);
    oval(p, x, -6, 0.7, 0.7, lit(d.hex, 0.4), false);
  } else if (d.cut === "scrubs") {
    shape(p, skin, [x - 3.2, -24], [x + 3.2, -24], [x, -18]);
    stroke(p, lit(d.hex, 0.22), 1.3, [x - 3.4, -23.6], [x, -17.8], [x + 3.4, -23.6]);
    stroke(p, line, 0.9, [x - 6, -11], [x - 2.4, -11], [x - 2.4, -7]);
  } else if (d.cut === "shirt") {
    shape(p, d.inner, [x - 3.6, -24], [x + 3.6, -24], [x, -19.4]);
    for (const side of [-1, 1])
      shape(p, lit(d.hex, 0.26), [x + side * 0.4, -20], [x + side * 4.4, -23.8], [x + side * 4, -19.4]);
    stroke(p, line, 0.8, [x, -19.6], [x, hem + 1]);
    for (const y of [-15, -10, -5]) oval(p, x + 0.9, y, 0.55, 0.55, lit(d.hex, 0.5), false);
  } else if (d.cut === "gown") {
    stroke(p, lit(d.hex, 0.5), 1.4, [x - 4, -23.4], [x, -20.4], [x + 4, -23.4]);
  } else {
    stroke(p, lit(d.hex, 0.3), 2, [x - 3.8, -23.6], [x, -21.6], [x + 3.8, -23.6]);
    stroke(p, line, 1.1, [-12, hem - 1.4], [12, hem - 1.4]);
  }
  if (d.badge) round(p, x + 4, -16.4, 3.6, 4.2, 0.7, d.hex === "#fbfaf6" ? "#7fb7c4" : "#fffdf8");
  if (d.stethoscope) {
    stroke(p, "#4a5470", 1.3, [x - 4.2, -22.6], [x - 3.8, -15.4], [x - 1.6, -13.4]);
    stroke(p, "#4a5470", 1.3, [x + 4.2, -22.6], [x + 4, -12]);
    oval(p, x + 4, -11.2, 1.5, 1.5, "#c9d2dc");
  }
}
