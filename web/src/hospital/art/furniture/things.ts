// Small things that stand on furniture; `x` and `y` are the middle of their foot as it is seen.
import { lit, shaded } from "../colour.ts";
import { STUFF } from "../palette.ts";
import { type Pen, box, glow, oval, round, stroke } from "../pen.ts";

/** A screen from its front, with lines or a trace; from behind it is a plain shell. */
export function screen(
  p: Pen,
  x: number,
  y: number,
  w: number,
  h: number,
  shows: "text" | "trace" | "scan" | "back" = "text",
): void {
  round(p, x - 5, y - 2, 10, 3, 1.5, STUFF.steel);
  round(p, x - 1.6, y - 6, 3.2, 6, 1, STUFF.steel);
  if (shows === "back") {
    round(p, x - w / 2, y - h - 4, w, h, 2.5, "#e4e7ec");
    round(p, x - 4, y - h / 2 - 6, 8, 4, 2, STUFF.steel, false);
    return;
  }
  round(p, x - w / 2, y - h - 4, w, h, 2.5, "#3c4963");
  p.c.fillStyle = p.dark ? "#24466a" : STUFF.screen;
  p.c.fillRect(x - w / 2 + 1.8, y - h - 2.2, w - 3.6, h - 3.8);
  if (p.dark) glow(p, x, y - h / 2 - 2, w, h, "#8fd0ff", 0.22);
  const [l, t, r, b] = [x - w / 2 + 3.5, y - h, x + w / 2 - 3.5, y - 6];
  if (shows === "text") {
    for (let n = 0; n < 4; n++) {
      const line = t + 1.4 + n * ((b - t) / 4);
      light(p, n ? "#b8cbe6" : "#8fe0d6", 1.1, [l, line], [l + (r - l) * [0.6, 0.95, 0.8, 0.5][n]!, line]);
    }
  } else if (shows === "trace") {
    traces(p, l, t, r, b);
  } else {
    oval(p, x, (t + b) / 2, (r - l) * 0.3, (b - t) * 0.42, "#aebfd6", false);
    oval(p, x, (t + b) / 2, (r - l) * 0.2, (b - t) * 0.28, "#5d7192", false);
  }
}

/** Lines that shine by themselves and do not dim in the evening. */
export function light(p: Pen, hex: string, width: number, ...points: [number, number][]): void {
  stroke({ ...p, tone: (same) => same }, hex, width, ...points);
}

/** The curves of a monitor; they say nothing of whom they belong to. */
function traces(p: Pen, l: number, t: number, r: number, b: number): void {
  const h = b - t;
  const rows = ["#86e3b4", "#8cc8f4", "#f0d37c"];
  rows.forEach((hex, row) => {
    const y = t + h * (0.2 + row * 0.32);
    const points: [number, number][] = [];
    for (let x = l; x <= r - 6; x += 1.2) {
      const at = ((x - l) % 8) / 8;
      const up = row === 0 ? (at > 0.4 && at < 0.55 ? h * 0.2 : 0) : Math.sin(at * Math.PI * 2) * h * 0.07;
      points.push([x, y - up]);
    }
    light(p, hex, 0.9, ...points);
    light(p, hex, 1.4, [r - 3, y - 1], [r - 0.5, y - 1]);
  });
}

export function keyboard(p: Pen, x: number, y: number): void {
  round(p, x - 8, y - 2.5, 16, 5, 1.4, "#eef0f3");
  stroke(p, "#c6ccd6", 0.8, [x - 6, y - 0.6], [x + 6, y - 0.6]);
  stroke(p, "#c6ccd6", 0.8, [x - 6, y + 1], [x + 6, y + 1]);
}

export function paper(p: Pen, x: number, y: number, turn = 0, hex = STUFF.paper): void {
  p.c.save();
  p.c.translate(x, y);
  p.c.rotate(turn);
  round(p, -5, -4, 10, 8, 0.8, hex);
  for (let n = 0; n < 3; n++) stroke(p, "#b9c0cc", 0.7, [-3.2, -1.8 + n * 2], [n === 2 ? 1 : 3.2, -1.8 + n * 2]);
  p.c.restore();
}

export function books(p: Pen, x: number, y: number, n: number, seed = 0): void {
  const hues = ["#c98a78", "#7fa9a0", "#d9b46a", "#8f93bf", "#b7a28c", "#7c9cc0"];
  for (let at = 0, dx = 0; at < n; at++) {
    const [w, h] = [2.6 + ((at * 7 + seed) % 3) * 0.7, 9 + ((at * 5 + seed * 3) % 4) * 1.2];
    round(p, x + dx, y - h, w, h, 0.6, hues[(at + seed) % hues.length]!);
    dx += w + 0.3;
  }
}

export function mug(p: Pen, x: number, y: number, hex: string): void {
  round(p, x - 2, y - 5, 4.4, 5, 1.2, hex);
  oval(p, x + 0.2, y - 5, 2.1, 0.9, shaded(hex, 0.35), false);
}

export function pot(p: Pen, x: number, y: number, hex: string): void {
  for (const [dx, hue] of [
    [-1.6, "#6c86b8"],
    [0.2, "#d08a6b"],
    [1.8, "#56637c"],
  ] as const)
    stroke(p, hue, 1.1, [x + dx, y - 4], [x + dx * 1.8, y - 9]);
  round(p, x - 3, y - 5.5, 6, 5.5, 1.2, hex);
}

export function lamp(p: Pen, x: number, y: number): void {
  oval(p, x, y, 4, 1.6, STUFF.slate);
  stroke(p, STUFF.slate, 1.4, [x, y - 1], [x - 2.4, y - 10], [x + 3, y - 15]);
  p.c.beginPath();
  p.c.moveTo(x + 0.5, y - 17);
  p.c.lineTo(x + 6.5, y - 15.6);
  p.c.lineTo(x + 8.4, y - 10.5);
  p.c.lineTo(x - 0.5, y - 12);
  p.c.closePath();
  p.c.fillStyle = p.tone(STUFF.amber);
  p.c.fill();
  if (p.dark) glow(p, x + 4, y - 5, 24, 14, "#ffd68c", 0.55);
}

export function rack(p: Pen, x: number, y: number): void {
  const hues = ["#d98a7a", "#a99ad6", "#8fc0a6", "#e6c36a", "#d98a7a"];
  hues.forEach((hex, n) => {
    round(p, x - 9 + n * 3.8, y - 9, 2.6, 9, 1.2, "#f6f7fa");
    round(p, x - 9 + n * 3.8, y - 9, 2.6, 3, 1, hex, false);
  });
  round(p, x - 11, y - 4.4, 22, 4.8, 1.2, "#e9edf3");
}

export function microscope(p: Pen, x: number, y: number): void {
  round(p, x - 6, y - 3, 12, 3.4, 1.4, "#5d6b86");
  stroke(p, "#5d6b86", 3, [x + 4, y - 3], [x + 5, y - 10], [x + 1, y - 14]);
  stroke(p, "#eef1f5", 3.6, [x - 2.6, y - 8], [x + 1, y - 16]);
  stroke(p, "#3e4a63", 2.4, [x + 1.4, y - 16.6], [x + 2.6, y - 19]);
  round(p, x - 6, y - 6.4, 9, 1.8, 0.8, "#c9d2dc");
}

export function bottle(p: Pen, x: number, y: number, hex: string, h = 9): void {
  round(p, x - 2.6, y - h, 5.2, h, 1.6, lit(hex, 0.25));
  round(p, x - 2.6, y - h * 0.62, 5.2, h * 0.4, 0.6, STUFF.paper, false);
  round(p, x - 1.4, y - h - 2.6, 2.8, 3, 0.8, shaded(hex, 0.1));
}

export function analyser(p: Pen, x: number, y: number, w: number, h: number, hex: string): void {
  box(p, x, y, w, 15, h, "#f4f5f8", { r: 3 });
  round(p, x + 3, y + 15 - h + 2.5, w - 6, h * 0.42, 1.5, STUFF.screen);
  light(p, "#8fe0d6", 1, [x + 5, y + 15 - h + 5], [x + w * 0.55, y + 15 - h + 5]);
  round(p, x + 3, y + 15 - h * 0.36, w - 6, h * 0.22, 1.2, hex, false);
}
