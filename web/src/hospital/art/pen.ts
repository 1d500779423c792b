// Drawing with one light, one weight of line and one kind of shadow.
import { clear, evening, lit, shaded } from "./colour.ts";
import type { Theme } from "./contract.ts";

/** A context with the tone of the hour: every colour goes through `tone`. */
export interface Pen {
  c: CanvasRenderingContext2D;
  tone: (hex: string) => string;
  dark: boolean;
}

const same = (hex: string): string => hex;
const DUSK = {
  outside: evening(0.3, 0.38, 0.5, 0.2),
  building: same,
  furniture: evening(0.6, 0.58, 0.68, 0.04),
  people: evening(0.94, 0.91, 0.93, 0.11, "#a4acdd"),
};
export type Layer = keyof typeof DUSK;

/** Furniture in the evening by the light that falls on it, in a few steps. */
const LIT = [0, 0.25, 0.5, 0.75, 1].map((t) =>
  evening(0.46 + 0.34 * t, 0.46 + 0.27 * t, 0.64 + 0.08 * t, 0.08 - 0.06 * t),
);

export const penIn = (theme: Theme, light: number) => {
  const dark = theme === "dark";
  const tone = dark ? (LIT[Math.round(light * (LIT.length - 1))] ?? same) : same;
  return (c: CanvasRenderingContext2D): Pen => ({ c, tone, dark });
};

export const penFor = (theme: Theme, layer: Layer) => {
  const dark = theme === "dark";
  const tone = dark ? DUSK[layer] : same;
  return (c: CanvasRenderingContext2D): Pen => ({ c, tone, dark });
};

/** A fill that runs from the light at the left to the shade at the right. */
export function sweep(p: Pen, x: number, w: number, hex: string, depth = 0.1): CanvasGradient {
  const g = p.c.createLinearGradient(x, 0, x + w, 0);
  g.addColorStop(0, p.tone(lit(hex, depth * 1.4)));
  g.addColorStop(1, p.tone(shaded(hex, depth * 0.8)));
  return g;
}

export function edge(p: Pen, hex: string, width = 0.9, depth = 0.32): void {
  p.c.lineWidth = width;
  p.c.strokeStyle = p.tone(shaded(hex, depth));
  p.c.stroke();
}

export function round(p: Pen, x: number, y: number, w: number, h: number, r: number, hex: string, line = true): void {
  p.c.beginPath();
  p.c.roundRect(x, y, w, h, Math.min(r, w / 2, h / 2));
  p.c.fillStyle = p.tone(hex);
  p.c.fill();
  if (line) edge(p, hex);
}

export function oval(p: Pen, x: number, y: number, rx: number, ry: number, hex: string, line = true): void {
  p.c.beginPath();
  p.c.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2);
  p.c.fillStyle = p.tone(hex);
  p.c.fill();
  if (line) edge(p, hex);
}

export function stroke(p: Pen, hex: string, width: number, ...points: readonly (readonly [number, number])[]): void {
  p.c.beginPath();
  points.forEach(([x, y], n) => (n ? p.c.lineTo(x, y) : p.c.moveTo(x, y)));
  p.c.lineCap = "round";
  p.c.lineJoin = "round";
  p.c.lineWidth = width;
  p.c.strokeStyle = p.tone(hex);
  p.c.stroke();
}

export interface BoxLook {
  z?: number;
  r?: number;
  front?: string;
}

/** A block on the floor (or at the height `z`): its top in the light, its front in a little shade. */
export function box(
  p: Pen,
  x: number,
  y: number,
  w: number,
  d: number,
  h: number,
  hex: string,
  look: BoxLook = {},
): void {
  const { z = 0, r = 3, front = hex } = look;
  const top = y - h - z;
  p.c.beginPath();
  p.c.roundRect(x, top, w, d + h, r);
  p.c.fillStyle = sweep(p, x, w, shaded(front, 0.13), 0.09);
  p.c.fill();
  edge(p, front);
  p.c.beginPath();
  p.c.roundRect(x + 0.4, top + 0.4, w - 0.8, d - 0.4, Math.min(r, d / 2));
  p.c.fillStyle = sweep(p, x, w, hex, 0.12);
  p.c.fill();
}

/** The soft shadow of a block of the height `h`, to the lower right. */
export function shade(p: Pen, x: number, y: number, w: number, d: number, h: number): void {
  const reach = 3 + h * 0.28;
  p.c.fillStyle = p.dark ? "rgb(6 8 30 / 0.055)" : "rgb(96 78 140 / 0.034)";
  for (let part = 0; part <= 1; part += 0.14) {
    p.c.beginPath();
    p.c.roundRect(x - 1, y + 1, w + reach * part + 1, d + reach * 0.45 * part, 3 + 5 * part);
    p.c.fill();
  }
}

/** The soft round shadow of what stands on one foot. */
export function pool(p: Pen, x: number, y: number, rx: number, ry: number, strength = 1): void {
  p.c.fillStyle = p.dark ? `rgb(6 8 30 / ${0.17 * strength})` : `rgb(88 72 132 / ${0.1 * strength})`;
  for (const part of [1, 0.72]) {
    p.c.beginPath();
    p.c.ellipse(x, y, rx * part, ry * part, 0, 0, Math.PI * 2);
    p.c.fill();
  }
}

/** Light that falls on something, stronger in the evening. */
export function glow(p: Pen, x: number, y: number, rx: number, ry: number, hex: string, alpha: number): void {
  p.c.save();
  p.c.translate(x, y);
  p.c.scale(1, ry / rx);
  const g = p.c.createRadialGradient(0, 0, 0, 0, 0, rx);
  g.addColorStop(0, clear(hex, alpha));
  g.addColorStop(0.55, clear(hex, alpha * 0.5));
  g.addColorStop(1, clear(hex, 0));
  p.c.fillStyle = g;
  p.c.fillRect(-rx, -rx, rx * 2, rx * 2);
  p.c.restore();
}
