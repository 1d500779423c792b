// The geometry of a plan: tiles in world pixels, edges between tiles, and the tiles on which nobody passes.
import type { HospitalPlan, PlanRoom } from "./contract.ts";

export const TILE = { w: 44, h: 42 };
export const MARGIN = { left: 16, right: 16, top: 84, bottom: 34 };
/** Heights and thickness of walls. */
export const LOW = 14;
export const HIGH = 64;
export const THICK = 7;

/** The left edge of a column and the upper edge of a row. */
export const left = (x: number): number => MARGIN.left + x * TILE.w;
export const top = (y: number): number => MARGIN.top + y * TILE.h;
export const spot = (x: number, y: number): [number, number] => [left(x + 0.5), top(y + 0.5)];

export type Tile = readonly [number, number];
const key = (x: number, y: number): number => y * 10_000 + x;

/** A straight run of wall: along x at the upper edge of row `y`, or along y at the left edge of column `x`. */
export interface Wall {
  along: "x" | "y";
  x: number;
  y: number;
  length: number;
  kind: "low" | "high" | "glass" | "door";
  /** The room whose face is seen: the one to the south, or to the east. */
  room: PlanRoom | undefined;
}

export class Grid {
  private readonly rooms = new Map<number, PlanRoom>();
  private readonly doors = new Set<string>();
  private readonly still = new Map<PlanRoom, Tile[]>();
  private readonly panes = new Set<string>();
  readonly plan: HospitalPlan;

  constructor(plan: HospitalPlan) {
    this.plan = plan;
    for (const room of plan.rooms) for (const [x, y] of tilesOf(room)) this.rooms.set(key(x, y), room);
    for (const [a, b] of plan.doors) this.doors.add(pair(a, b));
    for (const [a, b] of plan.glass) this.panes.add(pair(a, b));
  }

  roomAt(x: number, y: number): PlanRoom | undefined {
    return this.rooms.get(key(x, y));
  }

  /** The same, but home lies outside. */
  indoors(x: number, y: number): PlanRoom | undefined {
    const room = this.roomAt(x, y);
    return room?.kind === "home" ? undefined : room;
  }

  /** The tiles of a room at its doors. */
  doorways(room: PlanRoom): Tile[] {
    return this.plan.doors.flatMap(([a, b]) => [a, b].filter(([x, y]) => this.roomAt(x, y) === room));
  }

  private kindOf(a: Tile, b: Tile): Wall["kind"] | "" {
    const [from, to] = [this.indoors(...a), this.indoors(...b)];
    if (from === to) return "";
    const name = pair(a, b);
    if (this.doors.has(name)) return "door";
    if (this.panes.has(name)) return "glass";
    return a[0] === b[0] && !from && this.nothingNorth(a) ? "high" : "low";
  }

  private nothingNorth([x, y]: Tile): boolean {
    for (let at = y; at >= 0; at--) if (this.indoors(x, at)) return false;
    return true;
  }

  /** All walls, joined to the longest straight runs of one kind. */
  walls(): Wall[] {
    const [width, height] = this.plan.size;
    const found: Wall[] = [];
    const grow = (wall: Wall) => {
      const last = found.at(-1);
      const next = last && (last.along === "x" ? [last.x + last.length, last.y] : [last.x, last.y + last.length]);
      const joins =
        last?.along === wall.along &&
        last.kind === wall.kind &&
        last.room === wall.room &&
        next?.[0] === wall.x &&
        next[1] === wall.y;
      if (joins && last) last.length += 1;
      else found.push(wall);
    };
    for (let y = 0; y <= height; y++)
      for (let x = 0; x < width; x++) {
        const kind = this.kindOf([x, y - 1], [x, y]);
        if (kind) grow({ along: "x", x, y, length: 1, kind, room: this.indoors(x, y) });
      }
    for (let x = 0; x <= width; x++)
      for (let y = 0; y < height; y++) {
        const kind = this.kindOf([x - 1, y], [x, y]);
        if (kind) grow({ along: "y", x, y, length: 1, kind, room: this.indoors(x, y) });
      }
    return found;
  }

  /** The tiles of a room through which no shortest way leads between its slots and doors. */
  quiet(room: PlanRoom): Tile[] {
    let found = this.still.get(room);
    if (!found) this.still.set(room, (found = this.reckonQuiet(room)));
    return found;
  }

  private reckonQuiet(room: PlanRoom): Tile[] {
    const ends: Tile[] = [...this.doorways(room), ...Object.values(room.slots)];
    const busy = (x: number, y: number) =>
      ends.some(([ax, ay], n) =>
        ends.some(
          ([bx, by], m) =>
            m >= n && x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by),
        ),
      );
    const shut = new Set(room.blocked.map(([x, y]) => key(x, y)));
    return tilesOf(room).filter(([x, y]) => !shut.has(key(x, y)) && !busy(x, y));
  }

  /** The runs of a room's first row that have a high wall, as [from, length] in columns. */
  highRuns(room: PlanRoom): [number, number][] {
    const [x0, y0, x1] = room.area;
    const runs: [number, number][] = [];
    for (let x = x0; x <= x1; x++) {
      if (this.kindOf([x, y0 - 1], [x, y0]) !== "high") continue;
      const last = runs.at(-1);
      if (last && last[0] + last[1] === x) last[1] += 1;
      else runs.push([x, 1]);
    }
    return runs;
  }
}

export function tilesOf(room: PlanRoom): Tile[] {
  const [x0, y0, x1, y1] = room.area;
  const tiles: Tile[] = [];
  for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) tiles.push([x, y]);
  return tiles;
}

/** Blocked tiles that touch, as the rectangles about them: x, y, columns, rows. */
export function blocks(room: PlanRoom): [number, number, number, number][] {
  const rest = new Map(room.blocked.map(([x, y]) => [key(x, y), [x, y] as Tile]));
  const found: [number, number, number, number][] = [];
  while (rest.size) {
    const [first] = rest.values();
    if (!first) break;
    const todo = [first];
    rest.delete(key(...first));
    let [x0, y0] = first;
    let [x1, y1] = first;
    for (const [x, y] of todo) {
      [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x), Math.max(y1, y)];
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        const next = rest.get(key(x + dx, y + dy));
        if (next && rest.delete(key(x + dx, y + dy))) todo.push(next);
      }
    }
    found.push([x0, y0, x1 - x0 + 1, y1 - y0 + 1]);
  }
  return found;
}

function pair(a: Tile, b: Tile): string {
  const [p, q] = a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]) ? [a, b] : [b, a];
  return `${p.join()} ${q.join()}`;
}
