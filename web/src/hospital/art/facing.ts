// The side to which a slot looks: to its desk, bed or partner, and to the viewer where nothing calls elsewhere.
import type { Facing, PlanRoom } from "./contract.ts";
import type { Tile } from "./grid.ts";

const FIXED: [prefix: string, side: Facing][] = [
  ["seat", "south"],
  ["sofa", "south"],
  ["clerk", "south"],
  ["board", "south"],
  ["counter", "north"],
  ["glass", "north"],
  ["console", "north"],
  ["describer", "west"],
  ["hatch", "east"],
  ["home", "east"],
];
const LYING = ["bed", "couch", "table"];

export function facingOf(room: PlanRoom, slot: string): Facing {
  const at = room.slots[slot];
  if (!at) return "south";
  if (LYING.some((name) => slot.startsWith(name))) return feet(room, at);
  const fixed = FIXED.find(([prefix]) => slot.startsWith(prefix));
  if (fixed) return fixed[1];
  if (slot.startsWith("bench")) return beside(room, at) ?? "south";
  if (slot.startsWith("desk")) return room.slots.board && room.slots.board[1] < at[1] ? "north" : "south";
  const partner = slot === "doctor" ? room.slots.patient : slot === "patient" ? room.slots.doctor : undefined;
  const focus = partner ?? middle(room);
  return focus ? towards(at, focus) : "south";
}

/** The feet lie away from the blocked tile at the head of a bed. */
function feet(room: PlanRoom, [x, y]: Tile): Facing {
  const shut = (dx: number, dy: number) => room.blocked.some(([a, b]) => a === x + dx && b === y + dy);
  if (shut(0, -1)) return "south";
  if (shut(-1, 0)) return "east";
  return shut(1, 0) ? "west" : "south";
}

function beside(room: PlanRoom, [x, y]: Tile): Facing | undefined {
  for (const [a, b] of room.blocked) {
    if (b === y && Math.abs(a - x) === 1) return a > x ? "east" : "west";
    if (a === x && Math.abs(b - y) === 1) return b > y ? "south" : "north";
  }
  return undefined;
}

function middle(room: PlanRoom): Tile | undefined {
  const { bed, couch, table, patient, doctor, board } = room.slots;
  if (patient && doctor) return [(patient[0] + doctor[0]) / 2, (patient[1] + doctor[1]) / 2];
  return bed ?? couch ?? table ?? board ?? seats(room);
}

function seats(room: PlanRoom): Tile | undefined {
  const found = Object.entries(room.slots)
    .filter(([name]) => name.startsWith("seat"))
    .map(([, tile]) => tile);
  if (!found.length) return undefined;
  const sum = found.reduce<[number, number]>(([x, y], tile) => [x + tile[0], y + tile[1]], [0, 0]);
  return [sum[0] / found.length, sum[1] / found.length];
}

/** Sideways where that is nearly right, so that the face is seen. */
function towards([x, y]: Tile, [a, b]: Tile): Facing {
  const [dx, dy] = [a - x, b - y];
  if (dx !== 0 && Math.abs(dx) >= 0.35 * Math.abs(dy)) return dx > 0 ? "east" : "west";
  return dy < 0 ? "north" : "south";
}
