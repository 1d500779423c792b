// The build of a person: measures in world pixels of an adult 70 high, from the age and sex that are told.
import { mix } from "../colour.ts";
import type { Looks } from "../contract.ts";

export interface Build {
  /** The body's scale; the head has its own. */
  scale: number;
  head: number;
  /** Half widths. */
  shoulder: number;
  waist: number;
  hip: number;
  jaw: number;
  /** How far the upper body leans forward. */
  stoop: number;
  leg: number;
}

const SKIN = ["#f7d9c2", "#ecc2a0", "#d6a17a", "#b88058", "#966546", "#734b37"];
const HAIR = ["#2d2733", "#4b3529", "#6c4a33", "#8b5433", "#c69c5e", "#a3573a", "#bcc0c8"];

export const skinOf = (looks: Looks): string => SKIN[looks.skin % SKIN.length]!;
/** Brown hair is darker where the skin is, so that the face keeps its outline. */
export function hairOf(looks: Looks): string {
  const hex = HAIR[looks.hair % HAIR.length]!;
  const brown = [1, 2, 3].includes(looks.hair % HAIR.length);
  return brown && looks.skin % SKIN.length >= 3 ? mix(hex, "#1c1618", 0.55) : hex;
}

export function buildOf({ age, sex }: Looks): Build {
  const build: Build =
    sex === "male"
      ? { scale: 1, head: 1, shoulder: 10.9, waist: 8.6, hip: 8, jaw: 6.5, stoop: 0, leg: 3.7 }
      : sex === "female"
        ? { scale: 0.965, head: 0.98, shoulder: 9.5, waist: 7.2, hip: 8.3, jaw: 5.2, stoop: 0, leg: 3.5 }
        : { scale: 0.98, head: 0.99, shoulder: 10.3, waist: 8, hip: 8.1, jaw: 5.8, stoop: 0, leg: 3.6 };
  if (age === "child") return { ...build, scale: 0.64, head: 0.94 / 0.64, shoulder: 9.2, waist: 8, hip: 7.8, jaw: 5.6 };
  if (age === "young") return { ...build, waist: build.waist - 0.6, shoulder: build.shoulder - 0.4 };
  if (age === "middle") return { ...build, waist: build.waist + 0.9, hip: build.hip + 0.4 };
  if (age === "old")
    return {
      ...build,
      scale: build.scale * 0.955,
      shoulder: build.shoulder - 1.2,
      waist: build.waist - 0.3,
      stoop: 0.13,
      head: build.head * 1.02,
    };
  return build;
}
