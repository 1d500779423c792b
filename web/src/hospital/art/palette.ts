// The colours of the hospital by day; the evening's are reckoned from them (see `pen.ts`).

/** The floor in two close tones, its pattern, and the accent of a room. */
export interface FloorLook {
  a: string;
  b: string;
  accent: string;
  pattern: "planks" | "tiles" | "lino" | "carpet";
}

const FLOORS: Record<string, FloorLook> = {
  reception: { a: "#f7e9d0", b: "#f3e1c2", accent: "#cf9750", pattern: "planks" },
  waiting: { a: "#f7e9d0", b: "#f3e1c2", accent: "#cf9750", pattern: "planks" },
  examination: { a: "#e4f1ec", b: "#d9ebe4", accent: "#3c9787", pattern: "tiles" },
  consulting: { a: "#e4f1ec", b: "#dbece5", accent: "#3c9787", pattern: "planks" },
  imaging: { a: "#e0eaf5", b: "#d5e2f0", accent: "#5986bd", pattern: "lino" },
  laboratory: { a: "#ecebf6", b: "#e2e0f0", accent: "#7871b6", pattern: "tiles" },
  corridor: { a: "#f6f2ea", b: "#f0eade", accent: "#7fa795", pattern: "lino" },
  ward: { a: "#faefe3", b: "#f5e6d7", accent: "#d77a66", pattern: "tiles" },
  simulation: { a: "#eae4f4", b: "#e0d8ee", accent: "#8469bd", pattern: "lino" },
  control: { a: "#dcd8e8", b: "#d2cde0", accent: "#655a9a", pattern: "carpet" },
  staff: { a: "#f7e5d9", b: "#f1dacb", accent: "#c27352", pattern: "planks" },
  seminar: { a: "#f5edd5", b: "#ede3c5", accent: "#a98625", pattern: "planks" },
};
const PLAIN: FloorLook = { a: "#efebe3", b: "#e7e2d8", accent: "#847f70", pattern: "tiles" };

export const floorLook = (kind: string): FloorLook => FLOORS[kind] ?? PLAIN;

export const OUTSIDE = {
  lawn: "#cfe2c6",
  lawnDeep: "#bcd4b4",
  path: "#efe3cd",
  leaf: "#8fbf8d",
  leafDeep: "#6fa67a",
  trunk: "#9a7658",
};
export const WALL = {
  top: "#fdf9f1",
  face: "#ece3d6",
  high: "#f8f1e4",
  frame: "#fffdf8",
  sky: "#bfe0f2",
  skyLow: "#e6f3ee",
};
/** Materials that several pieces share. */
export const STUFF = {
  wood: "#d9b184",
  woodPale: "#ead0aa",
  white: "#fbfaf6",
  steel: "#c9d2dc",
  slate: "#56637c",
  screen: "#2b3a57",
  glow: "#8fe0d6",
  teal: "#5fae9f",
  coral: "#e08a75",
  linen: "#fdfbf5",
  blanket: "#a9d3cc",
  leaf: "#7db583",
  leafDeep: "#568f68",
  pot: "#cf8a68",
  paper: "#fffdf6",
  amber: "#e6b45c",
  sky: "#8fb9dd",
  lilac: "#a99ad6",
};
