// The contract between the art and the stage. The art draws; where somebody is, and when, is the stage's.
//
// The plan is seen from the south and above (oblique): a tile is TILE.w wide and TILE.h high in world pixels, x to the
// right, y down; what has height rises upwards. Depth is the y of the floor line, so painting runs from north to south.
import type { components } from "#/api/types.ts";

export type HospitalPlan = components["schemas"]["HospitalPlan"];
export type PlanRoom = components["schemas"]["PlanRoom"];
export type Looks = components["schemas"]["Looks"];
export type Theme = "light" | "dark";
export type Facing = "south" | "north" | "east" | "west";

/** Something that stands on the floor and may hide somebody: painted in order of depth with the people. */
export interface Piece {
  /** The floor line in world pixels: who stands further south is painted over it. */
  depth: number;
  /** All that it may touch, in world pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
  paint: (context: CanvasRenderingContext2D) => void;
}

/** How somebody is drawn at an instant. */
export interface Bearing {
  pose: "stand" | "sit" | "lie";
  facing: Facing;
  /** 0 stands; 1 to 8 are the phases of a walk, by distance walked. */
  step: number;
  /** Posture in distress, never a face: 0 none, 1 bent, 2 doubled up. */
  strain: 0 | 1 | 2;
}

export interface Art {
  theme: Theme;
  /** The size of the whole picture in world pixels; `top` is the height of what rises above the first row of tiles. */
  size: { width: number; height: number; top: number };
  /** The middle of a tile (or of a place between two) on the floor, in world pixels. */
  spot: (x: number, y: number) => [x: number, y: number];
  /** The rectangle of a room with its walls, in world pixels. */
  frame: (room: PlanRoom) => { x: number; y: number; width: number; height: number };
  /** Floors, walls, lettering and all that never hides anybody. The context's unit is a world pixel. */
  building: (context: CanvasRenderingContext2D) => void;
  pieces: Piece[];
  /** The side to which a slot of a room looks. */
  facing: (room: PlanRoom, slot: string) => Facing;
  /** A person with the feet (lying: the middle) at the origin. */
  person: (context: CanvasRenderingContext2D, looks: Looks, bearing: Bearing) => void;
  /** The box of any person about that origin, in world pixels. */
  personBox: { x: number; y: number; width: number; height: number };
}

export type MakeArt = (plan: HospitalPlan, theme: Theme) => Art;
