// Somebody who lies on a bed or couch under a cover: the head towards the north, turned for beds across.
import { lit, shaded } from "../colour.ts";
import type { Bearing, Looks } from "../contract.ts";
import { type Pen, edge, oval, round, stroke, sweep } from "../pen.ts";
import { type Build, hairOf, skinOf } from "./build.ts";
import { dressOf } from "./dress.ts";
import { hairdo } from "./hair.ts";
import { face, skull } from "./head.ts";
import { limb } from "./limbs.ts";

const COVER = "#b4d9d2";
/** The height of mattresses, and the head's place north of the middle. */
const [HIGH, HEAD] = [17, -45];

export function lying(p: Pen, build: Build, looks: Looks, { facing, strain }: Bearing): void {
  const [skin, hair] = [skinOf(looks), hairOf(looks)];
  const dress = dressOf(looks, true);
  const do_ = hairdo(looks, hair);
  const c = p.c;
  c.save();
  c.translate(0, -HIGH);
  if (facing === "east") c.rotate(-Math.PI / 2);
  if (facing === "west") c.rotate(Math.PI / 2);
  const small = looks.age === "child" ? 0.68 : 1;
  const tilt = strain === 2 ? 0.12 : 0;
  c.save();
  c.translate(0, HEAD + strain * 1.4);
  c.rotate(-tilt);
  c.scale(build.head * (small < 1 ? 0.64 : 1), build.head * (small < 1 ? 0.64 : 1));
  do_.behind(p, "front");
  round(p, -3, 6, 6, 8, 2, shaded(skin, 0.1));
  c.restore();
  const w = build.shoulder * (small < 1 ? 0.78 : 1);
  round(p, -w, HEAD + 11, w * 2, 16, 6, dress.hex);
  stroke(p, lit(dress.hex, 0.5), 1.4, [-4, HEAD + 11.4], [0, HEAD + 14.4], [4, HEAD + 11.4]);
  c.save();
  c.translate(0, HEAD + strain * 1.4);
  c.rotate(-tilt);
  c.scale(build.head * (small < 1 ? 0.64 : 1), build.head * (small < 1 ? 0.64 : 1));
  skull(p, build, skin, "front");
  face(p, looks, skin, hair, "front", false);
  do_.over(p, "front");
  c.restore();
  cover(p, w, small, strain);
  for (const side of [-1, 1]) {
    const over = strain && side > 0 ? 3 : w - 1.6;
    limb(p, 3.8, skin, [
      [side * (w + 0.6), HEAD + 23],
      [side * over, HEAD + 31],
    ]);
    oval(p, side * over, HEAD + 31.6, 2.4, 2.4, skin);
    limb(p, 5, dress.hex, [
      [side * (w - 0.4), HEAD + 15],
      [side * (w + 0.8), HEAD + 22],
    ]);
  }
  c.restore();
}

/** The cover over body and legs: it hangs to the sides, and shows where the body lies. */
function cover(p: Pen, w: number, small: number, strain: number): void {
  const [top, foot] = [HEAD + 24, HEAD + 65];
  const [wide, end] = [w + 3.4, HEAD + 24 + (38 - strain * 3) * small];
  p.c.beginPath();
  p.c.roundRect(-wide, top, wide * 2, foot - top, [2, 2, 6, 6]);
  p.c.fillStyle = sweep(p, -wide, wide * 2, COVER, 0.1);
  p.c.fill();
  edge(p, COVER);
  p.c.beginPath();
  p.c.moveTo(-w * 0.86, top + 4);
  p.c.bezierCurveTo(-w * 0.9, top + 16, -w * 0.66 + strain * 2, end - 10, -w * 0.6 + strain * 2, end - 2);
  p.c.quadraticCurveTo(strain * 2, end + 3, w * 0.6 + strain * 2, end - 2);
  p.c.bezierCurveTo(w * 0.66 + strain * 4, end - 10, w * 0.9 + strain, top + 16, w * 0.86, top + 4);
  p.c.fillStyle = p.tone(lit(COVER, 0.2));
  p.c.fill();
  stroke(p, shaded(COVER, 0.09), 1.3, [w * 0.72, top + 10], [w * 0.56 + strain * 2, end - 6]);
  stroke(p, lit(COVER, 0.55), 2, [-w * 0.5, top + 9], [-w * 0.38 + strain * 2, end - 8]);
  stroke(p, shaded(COVER, 0.07), 1, [0.4, top + 17], [strain * 2, end - 4]);
  round(p, -wide - 0.6, top - 2.4, wide * 2 + 1.2, 6, 3, "#fdfcf8");
}
