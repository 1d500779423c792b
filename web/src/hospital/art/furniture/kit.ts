// The workbench of a room's furniture: pieces that hide people, and what lies flat on the floor.
import type { Facing, Piece, PlanRoom, Theme } from "../contract.ts";
import { type Rect, rectOf } from "../floors.ts";
import { lightAt } from "../lamplight.ts";
import { type Grid, type Tile, left, spot, top } from "../grid.ts";
import { type Pen, penIn, pool, shade } from "../pen.ts";
import { floorLook } from "../palette.ts";

export type Draw = (p: Pen) => void;

/** The footprint of a piece in world pixels, its height, and how far it is drawn beyond. */
export interface Foot {
  x: number;
  y: number;
  w: number;
  d: number;
  h: number;
  over?: number;
  depth?: number;
  shadow?: "block" | "pool" | "none";
}

export class Kit {
  readonly pieces: Piece[] = [];
  readonly flat: Draw[] = [];
  readonly rect: Rect;
  readonly accent: string;
  readonly theme: Theme;
  readonly grid: Grid;
  readonly room: PlanRoom;
  readonly facing: (slot: string) => Facing;

  constructor(theme: Theme, grid: Grid, room: PlanRoom, facing: (slot: string) => Facing) {
    this.theme = theme;
    this.grid = grid;
    this.room = room;
    this.facing = facing;
    this.rect = rectOf(room);
    this.accent = floorLook(room.kind).accent;
  }

  /** Add a piece, and its shadow to the floor. */
  piece({ x, y, w, d, h, over = 4, depth = y + d, shadow = "block" }: Foot, draw: Draw): void {
    if (shadow === "block") this.flat.push((p) => shade(p, x, y, w, d, h));
    if (shadow === "pool") this.flat.push((p) => pool(p, x + w / 2 + 3, y + d / 2 + 1, w * 0.7, d * 0.62, 1.2));
    const pen = penIn(this.theme, lightAt(this.rect, x + w / 2, y + d / 2));
    this.pieces.push({
      depth,
      x: Math.floor(x - over),
      y: Math.floor(y - h - over),
      width: Math.ceil(w + 2 * over) + 1,
      height: Math.ceil(d + h + 2 * over) + 1,
      paint: (c) => draw(pen(c)),
    });
  }

  /** Add what lies flat on the floor. */
  lay(draw: Draw): void {
    this.flat.push(draw);
  }

  /** The slots whose name begins so, with the middle of their tiles. */
  slots(prefix: string): { name: string; tile: Tile; x: number; y: number }[] {
    return Object.entries(this.room.slots)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, tile]) => {
        const [x, y] = spot(tile[0], tile[1]);
        return { name, tile, x, y };
      });
  }

  blocked(x: number, y: number): boolean {
    return this.room.blocked.some(([a, b]) => a === x && b === y);
  }

  /** Quiet tiles as world positions of their upper left corners. */
  quiet(): { tile: Tile; x: number; y: number }[] {
    return this.grid.quiet(this.room).map((tile) => ({ tile, x: left(tile[0]), y: top(tile[1]) }));
  }

  /** Whether a whole rectangle of tiles is quiet. */
  free(x: number, y: number, columns: number, rows: number): boolean {
    const found = new Set(this.grid.quiet(this.room).map((tile) => tile.join()));
    for (let dy = 0; dy < rows; dy++)
      for (let dx = 0; dx < columns; dx++) if (!found.has(`${x + dx},${y + dy}`)) return false;
    return true;
  }

  /** Whether a door leads through the wall of a tile to the next. */
  doorAt(x: number, y: number): boolean {
    return this.grid.doorways(this.room).some(([a, b]) => a === x && b === y);
  }
}
