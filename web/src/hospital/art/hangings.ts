// Clocks, charts, posters and signs on the high walls.
import { mix } from "./colour.ts";
import type { PlanRoom } from "./contract.ts";
import { type Grid, THICK, left, top } from "./grid.ts";
import { floorLook } from "./palette.ts";
import { type Pen, oval, round, stroke } from "./pen.ts";
import { gapsOf } from "./walls.ts";

type Hang = (p: Pen, x: number, y: number, accent: string) => void;

const KINDS: Record<string, Hang[]> = {
  reception: [sign, clock, poster, landscape],
  examination: [figureChart, eyeChart, clock],
  consulting: [clock, landscape, poster],
  imaging: [lightBox, poster, clock],
  laboratory: [shelf, poster, clock],
};

/** `y` is the middle of the wall between dado and top. */
export function hangings(p: Pen, grid: Grid, room: PlanRoom): void {
  const kinds = (Object.hasOwn(KINDS, room.kind) && KINDS[room.kind]) || [clock];
  const { accent } = floorLook(room.kind);
  const y = top(room.area[1]) + THICK / 2 - 42;
  gapsOf(grid, room).forEach((column, n) => kinds[n]?.(p, left(column), y, accent));
}

function clock(p: Pen, x: number, y: number): void {
  oval(p, x, y, 8, 8, "#fffdf8");
  oval(p, x, y, 6.4, 6.4, "#fbf6ec", false);
  for (let n = 0; n < 12; n += 3) {
    const at = (n / 6) * Math.PI;
    stroke(
      p,
      "#6d7890",
      1,
      [x + Math.sin(at) * 5, y - Math.cos(at) * 5],
      [x + Math.sin(at) * 5.8, y - Math.cos(at) * 5.8],
    );
  }
  stroke(p, "#46506a", 1.3, [x, y], [x - 2.4, y - 2]);
  stroke(p, "#46506a", 1, [x, y], [x + 1, y - 4.6]);
}

function sign(p: Pen, x: number, y: number): void {
  oval(p, x, y, 11, 11, "#4aa092");
  round(p, x - 2.2, y - 6.5, 4.4, 13, 1.2, "#fffdf8", false);
  round(p, x - 6.5, y - 2.2, 13, 4.4, 1.2, "#fffdf8", false);
}

/** Rows of letters as short strokes that get smaller. */
function eyeChart(p: Pen, x: number, y: number): void {
  round(p, x - 8, y - 14, 17, 27, 1.6, "#fffefa");
  for (let row = 0; row < 5; row++) {
    const [many, size] = [row + 1, 4.2 - row * 0.7];
    for (let n = 0; n < many; n++) {
      const cx = x + 0.5 + (n - (many - 1) / 2) * (size + 1.1);
      stroke(p, "#39415a", 0.9, [cx - size / 3, y - 10 + row * 4.8], [cx + size / 3, y - 10 + row * 4.8]);
      stroke(
        p,
        "#39415a",
        0.9,
        [cx - size / 3, y - 10 + row * 4.8 - size / 2],
        [cx - size / 3, y - 10 + row * 4.8 + size / 2],
      );
    }
  }
}

function figureChart(p: Pen, x: number, y: number): void {
  round(p, x - 9, y - 14, 18, 27, 1.6, "#fdf6ea");
  oval(p, x, y - 8, 2.4, 2.6, "#d9a68a", false);
  stroke(p, "#d9a68a", 3.4, [x, y - 3], [x, y + 3]);
  for (const side of [-1, 1]) {
    stroke(p, "#d9a68a", 1.5, [x + side * 2, y - 4], [x + side * 4, y + 2]);
    stroke(p, "#d9a68a", 1.8, [x + side * 1.1, y + 3], [x + side * 1.6, y + 9]);
  }
}

function poster(p: Pen, x: number, y: number, accent: string): void {
  round(p, x - 10, y - 13, 20, 25, 1.6, mix(accent, "#fffaf0", 0.76));
  oval(p, x, y - 4, 5.4, 5.4, mix(accent, "#fffaf0", 0.3), false);
  for (let n = 0; n < 3; n++)
    stroke(
      p,
      mix(accent, "#fffaf0", 0.35),
      1.1,
      [x - 6, y + 4.6 + n * 2.6],
      [x + (n === 2 ? 2 : 6), y + 4.6 + n * 2.6],
    );
}

function landscape(p: Pen, x: number, y: number): void {
  round(p, x - 13, y - 11, 26, 20, 1.6, "#b98f63");
  round(p, x - 11, y - 9, 22, 16, 0.8, "#d7e7ee", false);
  p.c.save();
  p.c.beginPath();
  p.c.rect(x - 11, y - 9, 22, 16);
  p.c.clip();
  oval(p, x - 5, y + 9, 11, 8, "#9cc2a0", false);
  oval(p, x + 8, y + 10, 10, 7, "#7fae92", false);
  oval(p, x + 5, y - 4, 2.6, 2.6, "#f4d58a", false);
  p.c.restore();
}

function lightBox(p: Pen, x: number, y: number): void {
  const shine = { ...p, tone: (hex: string) => hex };
  round(p, x - 14, y - 11, 28, 21, 2, "#dfe6ef");
  round(shine, x - 12, y - 9, 24, 17, 1, "#eaf4ff", false);
  for (const dx of [-6, 6]) {
    round(shine, x + dx - 5, y - 8, 10, 15, 0.8, "#4f6185", false);
    oval(shine, x + dx, y - 0.6, 3, 5, "#a9bbd6", false);
  }
}

function shelf(p: Pen, x: number, y: number): void {
  round(p, x - 17, y + 7, 34, 3, 1, "#d9c3a0");
  ["#d98a7a", "#8fc0a6", "#a99ad6", "#e6c36a", "#8fb9dd"].forEach((hex, n) => {
    round(p, x - 15 + n * 6.4, y - 2 - (n % 2) * 2, 4.8, 9 + (n % 2) * 2, 1.4, mix(hex, "#ffffff", 0.35));
    round(p, x - 14 + n * 6.4, y - 4.4 - (n % 2) * 2, 2.8, 2.6, 0.8, "#7d889c", false);
  });
}
