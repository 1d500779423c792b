// The head and its neutral face; its middle is the origin.
import { mix, shaded } from "../colour.ts";
import type { Looks } from "../contract.ts";
import { type Pen, edge, oval, stroke, sweep } from "../pen.ts";
import type { Build } from "./build.ts";
import type { View } from "./limbs.ts";

export function skull(p: Pen, build: Build, skin: string, view: View): void {
  const jaw = build.jaw;
  if (view === "side") oval(p, -3.6, 1.4, 1.6, 2.3, skin);
  else for (const side of [-1, 1]) oval(p, side * 7.6, 1, 1.5, 2.2, shaded(skin, 0.05));
  p.c.beginPath();
  p.c.moveTo(0, -8.8);
  p.c.bezierCurveTo(5.2, -8.8, 7.7, -5.4, 7.7, -1);
  p.c.bezierCurveTo(7.7, 3.4, jaw, 8.9, view === "side" ? 1 : 0, 8.9);
  p.c.bezierCurveTo(-jaw, 8.9, -7.7, 3.4, -7.7, -1);
  p.c.bezierCurveTo(-7.7, -5.4, -5.2, -8.8, 0, -8.8);
  p.c.fillStyle = sweep(p, -8, 16, skin, 0.07);
  p.c.fill();
  edge(p, skin, 0.9, 0.3);
  if (view === "side") oval(p, -3.4, 1.5, 1.3, 2, shaded(skin, 0.08));
}

/** Eyes, brows, nose and mouth: level, without a mood. */
export function face(p: Pen, looks: Looks, skin: string, hair: string, view: View, glasses: boolean): void {
  if (view === "back") return;
  const x = view === "side" ? 2.7 : 0;
  const gap = view === "side" ? 2.6 : 3.1;
  const brow = mix(shaded(skin, 0.4), looks.age === "old" ? "#8b8d96" : hair, 0.55);
  const heavy = looks.sex === "male" ? 1.05 : 0.8;
  const line = shaded(skin, 0.26);
  for (const side of [-1, 1]) {
    const ex = x + side * gap;
    stroke(p, brow, heavy, [ex - 1.6, -2.9], [ex, -3.3], [ex + 1.6, -2.9]);
    oval(p, ex, 0.7, view === "side" && side > 0 ? 0.9 : 1.05, 1.25, "#2a2230", false);
    if (looks.age === "old") stroke(p, line, 0.7, [ex - 1.3, 3], [ex + 1.2, 3.1]);
  }
  const tip = view === "side" ? x + 1.7 : 0.8;
  stroke(p, line, 0.9, [tip - 0.5, 2.4], [tip, 3.6], [tip - 1, 3.8]);
  if (looks.age === "old" || looks.age === "middle")
    for (const side of view === "side" ? [] : [-1, 1])
      stroke(p, shaded(skin, 0.13), 0.7, [x + side * 3, 4.2], [x + side * 3.6, 5.7]);
  stroke(p, mix(skin, "#7c3540", 0.55), 1.1, [x - 1.6, 6], [x + 1.6, 6]);
  if (glasses) {
    for (const side of [-1, 1]) {
      p.c.beginPath();
      p.c.ellipse(x + side * gap, 0.8, 2.6, 2.3, 0, 0, Math.PI * 2);
      p.c.lineWidth = 0.7;
      p.c.strokeStyle = p.tone("#6d5560");
      p.c.stroke();
    }
    stroke(p, "#6d5560", 0.7, [x - gap - 2.6, 0.4], [x - 7.2, -0.2]);
    stroke(p, "#6d5560", 0.7, [x - 0.5, 0.5], [x + 0.5, 0.5]);
  }
}
