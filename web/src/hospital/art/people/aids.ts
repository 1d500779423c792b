// What people walk or roll with.
import { type Pen, oval, round, stroke } from "../pen.ts";
import type { View } from "./limbs.ts";

const FRAME = "#5b6480";

/** The part of a wheelchair behind the person (or, from behind, before the legs). */
export function chairBehind(p: Pen, view: View): void {
  if (view === "side") {
    round(p, -11, -36, 4, 24, 2, "#6d86a8");
    stroke(p, FRAME, 2, [-10, -34], [-15, -35]);
    round(p, -10, -14, 20, 4, 2, "#6d86a8");
    stroke(p, FRAME, 1.8, [9, -12], [13, -1], [17, -1]);
    return;
  }
  wheels(p);
  if (view === "front") round(p, -11, -37, 22, 26, 4, "#6d86a8");
  round(p, -11, -15, 22, 10, 3, "#7f97b6");
}

export function chairBefore(p: Pen, view: View, turn: number): void {
  if (view === "side") {
    ring(p, -3, -10, 10, 10);
    for (let n = 0; n < 3; n++) {
      const at = turn + (n * Math.PI) / 3;
      const [dx, dy] = [Math.cos(at) * 8.6, Math.sin(at) * 8.6];
      stroke(p, "#a8b1c4", 0.8, [-3 - dx, -10 - dy], [-3 + dx, -10 + dy]);
    }
    oval(p, -3, -10, 1.8, 1.8, FRAME);
    ring(p, 11.5, -3, 3, 3);
    stroke(p, FRAME, 2.2, [-9, -22], [4, -22]);
    return;
  }
  if (view === "back") {
    round(p, -11, -38, 22, 24, 4, "#6d86a8");
    for (const dx of [-10, 10]) stroke(p, FRAME, 2.4, [dx, -38], [dx, -42]);
    wheels(p);
    return;
  }
  for (const dx of [-12, 12]) stroke(p, FRAME, 2.2, [dx, -23], [dx, -14]);
  stroke(p, FRAME, 2, [-8, 10.5], [8, 10.5]);
}

function wheels(p: Pen): void {
  for (const dx of [-14, 14]) oval(p, dx, -9, 2.3, 10.5, "#49516b");
}

function ring(p: Pen, x: number, y: number, rx: number, ry: number): void {
  p.c.beginPath();
  p.c.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2);
  p.c.lineWidth = 2.2;
  p.c.strokeStyle = p.tone("#49516b");
  p.c.stroke();
}

export function cane(p: Pen, x: number, hand: number): void {
  p.c.beginPath();
  p.c.moveTo(x + 1, -1);
  p.c.lineTo(x, hand);
  p.c.quadraticCurveTo(x - 0.4, hand - 3.6, x - 3.6, hand - 2.6);
  p.c.lineCap = "round";
  p.c.lineWidth = 2.9;
  p.c.strokeStyle = p.tone("#5a4334");
  p.c.stroke();
  p.c.lineWidth = 1.7;
  p.c.strokeStyle = p.tone("#a87d55");
  p.c.stroke();
}
