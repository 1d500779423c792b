// The evening: what the lamps reach keeps its colour, and all else turns blue.
import type { Rect } from "./floors.ts";
import { TILE } from "./grid.ts";

/** The map of light is much smaller than the picture: light has no edges. */
const FINE = 0.25;

interface Lamp {
  x: number;
  y: number;
  reach: number;
}

function lampsOf(r: Rect): Lamp[] {
  const across = Math.max(1, Math.round(r.w / (TILE.w * 4.4)));
  const down = Math.max(1, Math.round(r.h / (TILE.h * 4.4)));
  const reach = Math.min(210, Math.max(132, (r.w / across + r.h / down) * 0.4));
  const lamps: Lamp[] = [];
  for (let i = 0; i < across; i++)
    for (let j = 0; j < down; j++)
      lamps.push({ x: r.x + ((i + 0.5) * r.w) / across, y: r.y + ((j + 0.47) * r.h) / down, reach });
  return lamps;
}

/** Darken what is painted within `frames` (the rooms with their walls), but for the light of the rooms' lamps. */
export function nightfall(
  c: CanvasRenderingContext2D,
  rooms: Rect[],
  frames: Rect[],
  size: { width: number; height: number },
): void {
  const map = new OffscreenCanvas(Math.ceil(size.width * FINE), Math.ceil(size.height * FINE));
  const m = map.getContext("2d");
  if (!m) return;
  m.scale(FINE, FINE);
  m.fillStyle = "#3c4785";
  m.fillRect(0, 0, size.width, size.height);
  m.globalCompositeOperation = "lighter";
  rooms.forEach((room, n) => {
    const frame = frames[n] ?? room;
    m.save();
    m.beginPath();
    m.rect(frame.x, frame.y, frame.w, frame.h);
    m.clip();
    for (const { x, y, reach } of lampsOf(room)) {
      const g = m.createRadialGradient(x, y, 0, x, y, reach);
      g.addColorStop(0, "rgb(142 108 32)");
      g.addColorStop(0.35, "rgb(98 74 22)");
      g.addColorStop(0.7, "rgb(34 26 8)");
      g.addColorStop(1, "rgb(0 0 0)");
      m.fillStyle = g;
      m.fillRect(x - reach, y - reach, reach * 2, reach * 2);
    }
    m.restore();
  });
  c.save();
  c.beginPath();
  for (const { x, y, w, h } of frames) c.rect(x, y, w, h);
  c.clip();
  c.globalCompositeOperation = "multiply";
  c.imageSmoothingQuality = "medium";
  c.drawImage(map, 0, 0, size.width, size.height);
  c.restore();
}

/** The light at a place in a room, from 0 to 1. */
export function lightAt(room: Rect, x: number, y: number): number {
  const sum = lampsOf(room).reduce(
    (all, lamp) => all + Math.max(0, 1 - Math.hypot(lamp.x - x, lamp.y - y) / lamp.reach),
    0,
  );
  return Math.min(1, sum * 1.1);
}
