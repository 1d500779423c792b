// Floors: two close tones and a pattern for each kind of room.
import { clear, lit, mix, shaded } from "./colour.ts";
import type { PlanRoom } from "./contract.ts";
import { type Grid, TILE, type Wall, left, top } from "./grid.ts";
import { chance } from "./outside.ts";
import { type FloorLook, floorLook } from "./palette.ts";
import { type Pen, round, stroke } from "./pen.ts";

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export function rectOf(room: PlanRoom): Rect {
  const [x0, y0, x1, y1] = room.area;
  return { x: left(x0), y: top(y0), w: (x1 - x0 + 1) * TILE.w, h: (y1 - y0 + 1) * TILE.h };
}

export function floor(p: Pen, room: PlanRoom): void {
  const look = floorLook(room.kind);
  const r = rectOf(room);
  p.c.save();
  p.c.beginPath();
  p.c.rect(r.x, r.y, r.w, r.h);
  p.c.clip();
  p.c.fillStyle = p.tone(look.a);
  p.c.fillRect(r.x, r.y, r.w, r.h);
  PATTERNS[look.pattern](p, r, look);
  const g = p.c.createLinearGradient(r.x, r.y, r.x + r.w * 0.6, r.y + r.h);
  g.addColorStop(0, p.dark ? "rgb(8 10 44 / 0)" : "rgb(255 247 224 / 0.4)");
  g.addColorStop(1, p.dark ? "rgb(8 10 44 / 0.14)" : "rgb(255 247 224 / 0)");
  p.c.fillStyle = g;
  p.c.fillRect(r.x, r.y, r.w, r.h);
  p.c.restore();
}

const PATTERNS: Record<FloorLook["pattern"], (p: Pen, r: Rect, look: FloorLook) => void> = {
  planks(p, r, look) {
    const high = 14;
    for (let row = 0, y = r.y; y < r.y + r.h; row++, y += high) {
      for (let x = r.x - chance(row, 1) * 80, n = 0; x < r.x + r.w; n++) {
        const wide = 62 + chance(row, n + 3) * 52;
        p.c.fillStyle = p.tone(mix(look.a, look.b, chance(row + 5, n)));
        p.c.fillRect(x, y, wide, high);
        stroke(p, shaded(look.b, 0.07), 0.8, [x + wide, y + 1], [x + wide, y + high - 1]);
        x += wide;
      }
      stroke(p, shaded(look.b, 0.055), 0.8, [r.x, y], [r.x + r.w, y]);
    }
  },
  tiles(p, r, look) {
    for (let j = 0, y = r.y; y < r.y + r.h; j++, y += TILE.h)
      for (let i = 0, x = r.x; x < r.x + r.w; i++, x += TILE.w)
        round(p, x + 0.8, y + 0.8, TILE.w - 1.6, TILE.h - 1.6, 3, (i + j) % 2 ? look.b : look.a, false);
  },
  lino(p, r, look) {
    const border = 9;
    round(p, r.x + border, r.y + border, r.w - 2 * border, r.h - 2 * border, 8, look.b, false);
    round(p, r.x + border + 2.5, r.y + border + 2.5, r.w - 2 * border - 5, r.h - 2 * border - 5, 6, look.a, false);
    for (let n = 0; n < (r.w * r.h) / 420; n++) {
      p.c.fillStyle = p.tone(n % 3 ? look.b : lit(look.a, 0.5));
      p.c.fillRect(r.x + 12 + chance(n, 41) * (r.w - 24), r.y + 12 + chance(n, 42) * (r.h - 24), 2.2, 1.2);
    }
  },
  carpet(p, r, look) {
    for (let y = r.y + 4, j = 0; y < r.y + r.h; y += 7, j++)
      for (let x = r.x + 4 + (j % 2) * 6; x < r.x + r.w; x += 12) {
        p.c.fillStyle = p.tone(look.b);
        p.c.fillRect(x, y, 5, 2.4);
      }
  },
};

/** Thresholds in the doors; where two rooms lie open to each other, an inlay. */
export function threshold(p: Pen, grid: Grid, wall: Wall): void {
  const open = wall.length > 3;
  const outside = wall.along === "x" ? !grid.indoors(wall.x, wall.y) : !grid.indoors(wall.x - 1, wall.y);
  const hex = outside ? "#d8c4a4" : open ? "#e3c694" : "#e9dcc6";
  const t = open ? 3 : 9;
  const [x, y] = [left(wall.x), top(wall.y)];
  if (wall.along === "x") round(p, x + 1, y - t / 2, wall.length * TILE.w - 2, t, 2, hex, !open);
  else round(p, x - t / 2, y + 1, t, wall.length * TILE.h - 2, 2, hex, !open);
  if (outside && wall.along === "y") round(p, x + 9, y + 12, 17, wall.length * TILE.h - 24, 4, "#c9a57c");
}

/** A rug with a border and a quiet pattern. */
export function rug(
  p: Pen,
  x: number,
  y: number,
  w: number,
  h: number,
  hex: string,
  shape: "round" | "long" = "long",
): void {
  const body = mix(hex, "#fdf6ea", 0.62);
  const r = shape === "round" ? Math.min(w, h) : 12;
  const lay = (inset: number, fill: string, line: boolean) =>
    shape === "round"
      ? disc(p, x, y, w, h, inset, fill, line)
      : round(p, x + inset, y + inset, w - 2 * inset, h - 2 * inset, Math.max(r - inset, 3), fill, line);
  lay(0, body, true);
  lay(4, mix(hex, "#fdf6ea", 0.42), false);
  lay(6, body, false);
  p.c.save();
  p.c.beginPath();
  if (shape === "round") p.c.ellipse(x + w / 2, y + h / 2, w / 2 - 9, h / 2 - 9, 0, 0, Math.PI * 2);
  else p.c.roundRect(x + 9, y + 9, w - 18, h - 18, 5);
  p.c.clip();
  p.c.fillStyle = p.tone(mix(hex, "#fdf6ea", 0.5));
  for (let j = 0, dy = 0; dy < h; dy += 11, j++)
    for (let dx = (j % 2) * 9; dx < w + 9; dx += 18) {
      p.c.beginPath();
      p.c.moveTo(x + dx, y + dy - 2.6);
      p.c.lineTo(x + dx + 3.6, y + dy);
      p.c.lineTo(x + dx, y + dy + 2.6);
      p.c.lineTo(x + dx - 3.6, y + dy);
      p.c.fill();
    }
  p.c.restore();
}

function disc(p: Pen, x: number, y: number, w: number, h: number, inset: number, fill: string, line: boolean): void {
  p.c.beginPath();
  p.c.ellipse(x + w / 2, y + h / 2, w / 2 - inset, h / 2 - inset, 0, 0, Math.PI * 2);
  p.c.fillStyle = p.tone(fill);
  p.c.fill();
  if (!line) return;
  p.c.strokeStyle = clear(p.tone(shaded(fill, 0.3)), 0.6);
  p.c.lineWidth = 0.9;
  p.c.stroke();
}
