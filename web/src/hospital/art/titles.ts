// The rooms' names, lettered softly on the floor where nobody stands.
import { clear, mix } from "./colour.ts";
import type { Piece, PlanRoom } from "./contract.ts";
import { type Grid, TILE, left, top } from "./grid.ts";
import { floorLook } from "./palette.ts";
import type { Pen } from "./pen.ts";

const FONT = '"Nunito", "Segoe UI", system-ui, sans-serif';
const SIZE = 15.5;

export function title(p: Pen, grid: Grid, room: PlanRoom, pieces: readonly Piece[]): void {
  const [x0, , x1] = room.area;
  const room_w = (x1 - x0 + 1) * TILE.w - 18;
  p.c.save();
  p.c.font = `800 ${SIZE}px ${FONT}`;
  p.c.letterSpacing = "0.4px";
  const width = p.c.measureText(room.title).width;
  // A little smaller where this saves a tile.
  const length = Math.min(Math.ceil((width * 0.86 + 18) / TILE.w), x1 - x0 + 1);
  const small = Math.min(1, room_w / width, (length * TILE.w - 18) / width);
  const [x, y] = place(grid, room, length, pieces);
  const { accent } = floorLook(room.kind);
  // Higher where furniture rises into the strip.
  const run = Array.from({ length }, (_, at) => left(x + at));
  const isCrowded = run.some((at) => pieces.some((piece) => covers(piece, at, top(y))));
  p.c.translate(left(x) + 11, top(y) + TILE.h * (isCrowded ? 0.36 : 0.5));
  p.c.scale(small, small * 0.92);
  p.c.textBaseline = "alphabetic";
  p.c.fillStyle = p.dark ? clear(mix(accent, "#ffffff", 0.55), 0.82) : clear(mix(accent, "#2c2a4a", 0.42), 0.86);
  p.c.shadowColor = "transparent";
  p.c.fillText(room.title, 0, 0);
  p.c.restore();
}

/** The run of tiles that is least in use: not on slots, furniture or doors, and nobody just to the south of it. */
function place(grid: Grid, room: PlanRoom, length: number, pieces: readonly Piece[]): [number, number] {
  const [x0, y0, x1, y1] = room.area;
  const used = new Map<string, number>();
  const weigh = (x: number, y: number, cost: number) => used.set(`${x},${y}`, (used.get(`${x},${y}`) ?? 0) + cost);
  for (const [x, y] of Object.values(room.slots)) {
    weigh(x, y, 10);
    weigh(x, y - 1, 5);
    weigh(x, y + 1, 1);
  }
  for (const [x, y] of room.blocked) {
    weigh(x, y, 10);
  }
  for (const [[x, y]] of grid.plan.glass) weigh(x, y, 4);
  for (const [x, y] of grid.doorways(room)) weigh(x, y, 2);
  for (let y = y0; y <= y1; y++)
    for (let x = x0; x <= x1; x++) if (pieces.some((piece) => covers(piece, left(x), top(y)))) weigh(x, y, 2.5);
  const quiet = new Set(grid.quiet(room).map(([x, y]) => `${x},${y}`));
  let best: [number, number] = [x0, y1];
  let least = Number.POSITIVE_INFINITY;
  for (let y = y1; y >= y0; y--)
    for (let x = x0; x + length - 1 <= x1; x++) {
      let cost = (x - x0) * 0.05 + (y1 - y) * 0.2;
      for (let at = x; at < x + length; at++)
        cost += (used.get(`${at},${y}`) ?? 0) + (quiet.has(`${at},${y}`) ? 0 : 0.3);
      if (cost < least) [least, best] = [cost, [x, y]];
    }
  return best;
}

/** Whether a piece hides much of the strip of a tile where letters would lie. */
function covers(piece: Piece, x: number, y: number): boolean {
  const across = Math.min(piece.x + piece.width, x + TILE.w) - Math.max(piece.x, x);
  const down = Math.min(piece.y + piece.height, y + 24) - Math.max(piece.y, y + 6);
  return across > 10 && down > 6;
}
