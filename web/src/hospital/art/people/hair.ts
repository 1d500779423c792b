// Hair in two layers: behind the head, and over it. Four cuts for each sex that is told, and four for neither.
import { lit, shaded } from "../colour.ts";
import type { Looks } from "../contract.ts";
import { type Pen, edge, oval, round, stroke } from "../pen.ts";
import type { View } from "./limbs.ts";

type Style =
  "short" | "crop" | "curls" | "waves" | "thin" | "bald" | "bob" | "long" | "bun" | "afro" | "tail" | "scarf";

const CUTS: Record<Looks["sex"], readonly [Style, Style, Style, Style]> = {
  female: ["bob", "long", "bun", "afro"],
  male: ["short", "crop", "curls", "waves"],
  "": ["short", "waves", "curls", "tail"],
};

function styleOf({ sex, age, cut, clothes, hair }: Looks): Style {
  const n = (cut % 4) as 0 | 1 | 2 | 3;
  if (sex === "male" && age === "old") return (["thin", "bald", "short", "thin"] as const)[n];
  if (sex === "male" && age === "middle" && n === 3) return "thin";
  if (sex === "female" && age === "old") return (["bob", "bun", "curls", "bob"] as const)[n];
  if (sex === "female" && age !== "child" && n === 1 && clothes % 4 === 3 && hair !== 6) return "scarf";
  return CUTS[sex][n];
}

const SCARVES = ["#6f8fae", "#8f7fb0", "#6fa090", "#b07f86", "#b59a68", "#7d8aa0", "#9aa3b5"];

export interface Hair {
  behind: (p: Pen, view: View) => void;
  over: (p: Pen, view: View) => void;
}

export function hairdo(looks: Looks, hex: string): Hair {
  const style = styleOf(looks);
  const colour = style === "scarf" ? SCARVES[looks.hair % SCARVES.length]! : hex;
  const beard =
    looks.sex === "male" &&
    looks.age !== "child" &&
    looks.age !== "young" &&
    looks.cut % 4 === 1 &&
    looks.clothes % 2 === 0;
  return {
    behind: (p, view) => view !== "back" && behind(p, style, colour, view),
    over(p, view) {
      if (beard && view !== "back") drawBeard(p, colour, view === "side" ? 2.7 : 0);
      if (view === "back") fromBehind(p, style, colour);
      else cap(p, style, colour, view === "side");
    },
  };
}

function filled(p: Pen, hex: string, draw: (c: CanvasRenderingContext2D) => void): void {
  p.c.beginPath();
  draw(p.c);
  p.c.fillStyle = p.tone(hex);
  p.c.fill();
  edge(p, hex, 0.8, 0.3);
}

function behind(p: Pen, style: Style, hex: string, view: View): void {
  const x = view === "side" ? -1.8 : 0;
  const deep = shaded(hex, 0.12);
  if (style === "long") round(p, x - 9, -7, 18, 25, 8, deep);
  if (style === "bob") round(p, x - 9, -7, 18, 17, 7, deep);
  if (style === "afro") oval(p, x, -2.4, 12, 11.4, deep);
  if (style === "bun") oval(p, view === "side" ? -5 : 0, -11, 4.4, 4.2, deep);
  if (style === "tail" && view === "side")
    filled(p, deep, (c) => {
      c.moveTo(-6, -4);
      c.quadraticCurveTo(-14, -2, -11, 9);
      c.quadraticCurveTo(-7, 6, -5, 2);
    });
  if (style === "scarf")
    filled(p, deep, (c) => {
      c.moveTo(x - 8.6, -3);
      c.quadraticCurveTo(x - 10, 8, x - 9.4, 14);
      c.quadraticCurveTo(x, 18, x + 9.4, 14);
      c.quadraticCurveTo(x + 10, 8, x + 8.6, -3);
    });
  if (style === "waves") round(p, x - 8.6, -7, 17.2, 12.5, 6, deep);
}

function cap(p: Pen, style: Style, hex: string, side: boolean): void {
  if (style === "bald" || style === "thin") return thin(p, style, hex, side);
  if (style === "scarf") return scarf(p, hex, side);
  if (style === "curls" || style === "afro") return curls(p, hex, side, style === "afro" ? 1.18 : 1);
  const down = style === "bob" ? 5.6 : style === "long" ? 7.5 : style === "waves" ? 3 : style === "crop" ? -0.6 : 1.2;
  const rise = style === "crop" ? 9.5 : 10.5;
  filled(p, hex, (c) => {
    if (side) {
      c.moveTo(-2.4, style === "crop" ? -0.4 : Math.min(down, 2.6));
      c.lineTo(-4.6, down);
      c.bezierCurveTo(-7.6, down + 2, -9, 3, -8.7, -1.4);
      c.bezierCurveTo(-8.8, -7.6, -4.6, -rise, 1, -rise);
      c.bezierCurveTo(5.4, -rise, 7.8, -7.4, 7.8, -3.6);
      c.quadraticCurveTo(5.6, -5.4, 2.6, -5.2);
      c.quadraticCurveTo(-1, -5, -1.6, -2);
      c.closePath();
      return;
    }
    const inner = style === "bob" || style === "long" ? 6 : 6.5;
    c.moveTo(-inner, Math.max(down, -1));
    c.lineTo(-8.5, down);
    c.bezierCurveTo(-9.3, -4, -7.4, -rise, 0, -rise);
    c.bezierCurveTo(7.4, -rise, 9.3, -4, 8.5, down);
    c.lineTo(inner, Math.max(down, -1));
    c.quadraticCurveTo(6.6, -2.6, 5.4, -4.4);
    if (style === "bob") c.bezierCurveTo(2, -3.6, -3, -3.6, -5.4, -4);
    else if (style === "long" || style === "bun" || style === "tail") {
      c.quadraticCurveTo(2.6, -5, 0.8, -7);
      c.quadraticCurveTo(-2, -5, -5.4, -4.2);
    } else {
      c.quadraticCurveTo(1, -4.6, -2.4, -6.4);
      c.quadraticCurveTo(-4.6, -5.6, -5.6, -4);
    }
    c.quadraticCurveTo(-6.6, -2.4, -inner, Math.max(down, -1));
    c.closePath();
  });
  stroke(p, lit(hex, 0.2), 1.1, [-4.6, -7.6], [-1.6, -9], [1.6, -9.1]);
}

function curls(p: Pen, hex: string, side: boolean, size: number): void {
  const shift = side ? -1.6 : 0;
  const spots: [number, number, number][] = [
    [-7.4, -3.6, 2.6],
    [-6.2, -7, 3],
    [-2.8, -9.2, 3.2],
    [1.4, -9.6, 3.2],
    [5.2, -7.8, 3],
    [7.4, -4.4, 2.5],
  ];
  const shown = side ? spots.slice(0, 5) : spots;
  const high = size > 1 ? -1 : 0;
  for (const [x, y, r] of shown) oval(p, x * size + shift, y * size + high, r * size, r * size, hex);
  for (const [x, y, r] of shown) oval(p, x * size * 0.9 + shift, y * size * 0.92 + high, r, r, hex, false);
  oval(p, shift, -6.6, 6, 2.6, hex, false);
  if (side) {
    oval(p, -6.6, 0.4, 3, 4, hex);
    oval(p, -6, -3, 3.6, 4, hex, false);
  } else for (const dx of [-7.6, 7.6]) oval(p, dx, -1, 1.4, 2.6, hex, false);
  stroke(p, lit(hex, 0.18), 1, [-3.4 + shift, -9], [-1.4 + shift, -10.2]);
}

function thin(p: Pen, style: Style, hex: string, side: boolean): void {
  if (side) {
    filled(p, hex, (c) => {
      c.moveTo(-2.2, 1.6);
      c.bezierCurveTo(-5, 4.4, -8.6, 3.4, -8.4, -1.6);
      c.quadraticCurveTo(-7.4, -5, -4.4, style === "bald" ? -3.6 : -8.8);
      if (style === "thin") c.bezierCurveTo(-2, -10.4, 3, -10.2, 4.4, -8.4);
      if (style === "thin") c.quadraticCurveTo(0, -8, -1.6, -4);
      c.quadraticCurveTo(-2.6, -1, -2.2, 1.6);
    });
    return;
  }
  for (const dx of [-1, 1])
    filled(p, hex, (c) => {
      c.moveTo(dx * 6.7, 1.6);
      c.lineTo(dx * 8.3, 1.4);
      c.quadraticCurveTo(dx * 9, -2.4, dx * 7.2, -4.6);
      c.quadraticCurveTo(dx * 6.8, -1.6, dx * 6.7, 1.6);
    });
  if (style === "thin")
    filled(p, hex, (c) => {
      c.moveTo(-7, -4.2);
      c.bezierCurveTo(-6.4, -8.6, -3, -10.2, 0, -10.2);
      c.bezierCurveTo(3, -10.2, 6.4, -8.6, 7, -4.2);
      c.quadraticCurveTo(5, -8, 2, -7.4);
      c.quadraticCurveTo(0, -6.6, -2, -7.4);
      c.quadraticCurveTo(-5, -8, -7, -4.2);
    });
}

function scarf(p: Pen, hex: string, side: boolean): void {
  const x = side ? 2.2 : 0;
  p.c.beginPath();
  p.c.ellipse(side ? -0.4 : 0, -0.6, 9.3, 10.6, 0, 0, Math.PI * 2);
  p.c.ellipse(x, 0.8, 6, 7.4, 0, 0, Math.PI * 2);
  p.c.fillStyle = p.tone(hex);
  p.c.fill("evenodd");
  edge(p, hex, 0.8, 0.3);
  stroke(p, shaded(hex, 0.16), 1, [x - 5, 7.6], [x, 10.4], [x + 5.4, 8]);
}

function fromBehind(p: Pen, style: Style, hex: string): void {
  if (style === "bald") {
    round(p, -8, -1.4, 16, 6.4, 3, hex);
    return;
  }
  if (style === "afro") return oval(p, 0, -2.4, 12, 11.4, hex);
  if (style === "scarf") {
    round(p, -9.3, -11, 18.6, 26, 9, hex);
    return;
  }
  const down = style === "long" ? 17 : style === "bob" ? 9 : style === "waves" ? 6.4 : style === "crop" ? 3 : 4.6;
  round(p, -8.5, -10.4, 17, 10.4 + down, 8, hex);
  if (style === "bun") oval(p, 0, -9.6, 4.6, 4.4, hex);
  if (style === "tail") round(p, -2.8, -1, 5.6, 17, 2.8, hex);
  if (style === "curls")
    for (const [x, y] of [
      [-7.4, -4],
      [-4, -9],
      [2, -10],
      [6.6, -6],
      [7, 0],
      [-7, 1],
    ] as const)
      oval(p, x, y, 2.7, 2.7, hex);
  if (style === "curls") oval(p, 0, -3, 7.4, 7, hex, false);
  stroke(p, lit(hex, 0.18), 1.1, [-4.6, -7.4], [-1.6, -8.9], [1.6, -9]);
}

function drawBeard(p: Pen, hex: string, x: number): void {
  p.c.beginPath();
  p.c.moveTo(x > 0 ? -3 : -7.4, 1.8);
  p.c.bezierCurveTo(-6.4, 8, -3.6, 10.2, 0.6, 10.2);
  p.c.bezierCurveTo(4, 10.2, 6.8, 7.6, 7.4, 1.8);
  p.c.quadraticCurveTo(6, 4.6, x + 3, 4.4);
  p.c.lineTo(x - 3, 4.4);
  p.c.quadraticCurveTo(-5.4, 4.6, x > 0 ? -3 : -7.4, 1.8);
  p.c.fillStyle = p.tone(hex);
  p.c.fill();
  stroke(p, "#8f5a58", 1, [x - 1.4, 6.2], [x + 1.4, 6.2]);
}
