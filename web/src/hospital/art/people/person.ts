// A person from parts: build, clothes, head and hair, in a pose, from one of four sides.
import type { Bearing, Looks } from "../contract.ts";
import { type Pen, glow, oval, pool, round, stroke } from "../pen.ts";
import { shaded } from "../colour.ts";
import { cane, chairBefore, chairBehind } from "./aids.ts";
import { type Build, buildOf, hairOf, skinOf } from "./build.ts";
import { type Dress, dressOf } from "./dress.ts";
import { hairdo } from "./hair.ts";
import { face, skull } from "./head.ts";
import { type Point, type View, arm, seatedLegs, standingLegs } from "./limbs.ts";
import { lying } from "./lying.ts";
import { trunk } from "./trunk.ts";

/** About the feet: also for who lies across. */
export const PERSON_BOX = { x: -62, y: -80, width: 124, height: 95 };
const [STANDING, SEATED] = [-28, -16];

interface Frame {
  p: Pen;
  looks: Looks;
  build: Build;
  dress: Dress;
  skin: string;
  view: View;
  seated: boolean;
  /** From -1 to 1 over a step. */
  swing: number;
  strain: 0 | 1 | 2;
}

export function person(p: Pen, looks: Looks, bearing: Bearing): void {
  const build = buildOf(looks);
  if (bearing.pose === "lie") return lying(p, build, looks, bearing);
  const view: View = bearing.facing === "north" ? "back" : bearing.facing === "south" ? "front" : "side";
  const rolls = looks.aid === "wheelchair";
  const phase = bearing.step ? ((bearing.step - 1) / 8) * Math.PI * 2 : 0;
  const seated = rolls || bearing.pose === "sit";
  const frame: Frame = {
    p,
    looks,
    build,
    dress: dressOf(looks, false),
    skin: skinOf(looks),
    view,
    seated,
    swing: seated ? 0 : Math.sin(phase) * (bearing.step ? 1 : 0),
    strain: bearing.strain,
  };
  const c = p.c;
  c.save();
  if (rolls || !seated) pool(p, 2, 0, rolls ? 17 : 12 * build.scale, rolls ? 6 : 4.6 * build.scale, 1.5);
  // In the evening somebody in dark clothes still stands out from a dark floor.
  if (p.dark) glow(p, 0, -34 * build.scale, 25, 44 * build.scale, "#d5dcff", 0.15);
  if (bearing.facing === "west") c.scale(-1, 1);
  if (rolls) chairBehind(p, view);
  c.save();
  // A child on a chair sits as high as anybody.
  if (seated) c.translate(0, SEATED * (1 - build.scale));
  c.scale(build.scale, build.scale);
  const hip = seated ? SEATED : STANDING;
  const withCane = looks.aid === "cane" && !seated;
  if (withCane && view === "back") cane(p, build.shoulder + 2, -27);
  if (seated) seatedLegs(p, build, frame.dress, frame.skin, view, hip);
  else standingLegs(p, build, frame.dress, frame.skin, view, hip, frame.swing);
  c.translate(0, hip - Math.abs(frame.swing) * 0.9 + 1);
  upper(frame);
  c.restore();
  if (withCane && view !== "back") cane(p, (view === "side" ? 8 : build.shoulder + 2) * build.scale, -27 * build.scale);
  if (rolls) chairBefore(p, view, phase / 4);
  c.restore();
}

/** Trunk, arms and head; the hip is the origin. */
function upper(f: Frame): void {
  const { p, build, view, strain } = f;
  const c = p.c;
  const lean = build.stoop + [0, 0.17, 0.5][strain]!;
  if (view === "side") c.rotate(lean);
  else {
    c.translate(strain * 0.8, 0);
    c.scale(1, 1 - lean * 0.3);
  }
  const [far, near] = armsOf(f);
  if (view === "side") far();
  // Seen from before, long hair lies behind the trunk; from behind it lies on the back.
  headAt(f, lean, (hair) => hair.behind(p, view));
  trunk(p, build, f.dress, f.skin, view, f.seated);
  if (view !== "side") far();
  near();
  headAt(
    f,
    lean,
    (hair) => {
      skull(p, build, f.skin, view);
      face(p, f.looks, f.skin, hairOf(f.looks), view, f.dress.glasses);
      hair.over(p, view);
      if (f.dress.headset) headset(p, view);
    },
    true,
  );
}

function headAt(f: Frame, lean: number, draw: (hair: ReturnType<typeof hairdo>) => void, neck = false): void {
  const { p, build, view, strain } = f;
  const c = p.c;
  if (neck && view !== "back")
    round(p, (view === "side" ? 0.4 : 0) - 2.9, -26.5, 5.8, 5.6, 2, shaded(f.skin, 0.12), false);
  c.save();
  const size = build.head;
  const drop = view === "side" ? 0 : lean * 9;
  c.translate(view === "side" ? 0.8 + lean * 2 : 0, -23.8 - 8.6 * size + drop);
  if (view === "side") c.rotate(-lean * 0.75);
  else if (strain) c.rotate(strain * 0.05);
  c.scale(size, size);
  draw(hairdo(f.looks, hairOf(f.looks)));
  c.restore();
}

/** The two arms, the farther first. */
function armsOf(f: Frame): [() => void, () => void] {
  const { p, build, dress, skin, view, swing, strain, seated } = f;
  const one =
    (shoulder: Point, elbow: Point, hand: Point, dim = false) =>
    () =>
      arm(p, dress, dim ? shaded(skin, 0.08) : skin, dim ? shaded(dress.hex, 0.1) : dress.hex, shoulder, elbow, hand);
  if (view === "side") {
    const at = (s: number, dim: boolean) => {
      if (strain === 2 || (strain === 1 && !dim)) return one([-0.6, -18.6], [-2.4, -9.6], [4.6, -7.4], dim);
      if (seated) return one([-0.6, -18.6], [0.4, -9], [8.6, -3.2], dim);
      return one([-0.6, -18.6], [-1.6 + s * 3.4, -9.6], [0.4 + s * 8, -1.4 - Math.abs(s)], dim);
    };
    return [at(swing, true), at(-swing, false)];
  }
  const sh = build.shoulder;
  const at = (side: number) => {
    const shoulder: Point = [side * (sh - 2.2), -18.4];
    if (strain === 2) return one(shoulder, [side * (sh + 1.6), -9.4], [side * 1.6, -6]);
    if (strain === 1 && side > 0) return one(shoulder, [sh + 2.6, -10.4], [build.waist - 2.6, -7]);
    if (seated)
      return view === "back"
        ? one(shoulder, [side * (sh + 1), -10], [side * (sh - 0.6), -3])
        : one(shoulder, [side * (sh + 1), -9.4], [side * 5, -0.4]);
    const s = swing * side * (view === "back" ? 1 : -1);
    return one(shoulder, [side * (sh + 0.5), -9.6 - s * 0.8], [side * (sh + 0.1 - Math.abs(s) * 1.8), -0.6 - s * 3.2]);
  };
  return [at(-1), at(1)];
}

function headset(p: Pen, view: View): void {
  p.c.beginPath();
  p.c.arc(0, -1, 9.4, Math.PI * 1.08, Math.PI * 1.92);
  p.c.lineWidth = 1.6;
  p.c.strokeStyle = p.tone("#3a4058");
  p.c.stroke();
  for (const dx of view === "side" ? [-3.4] : [-8.2, 8.2]) oval(p, dx, 1, 2, 2.8, "#3a4058");
  if (view !== "back") stroke(p, "#3a4058", 0.9, [view === "side" ? -3.4 : -8, 3], [-3, 6.6]);
}
