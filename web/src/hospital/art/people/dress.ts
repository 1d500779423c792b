// Clothes by role, and eight sets of a patient's own. They say what somebody does here, never what they suffer from.
import type { Looks } from "../contract.ts";

export interface Dress {
  /** The outermost garment of the trunk, how far it hangs below the hip, and what shows in its opening. */
  cut: "coat" | "jacket" | "scrubs" | "shirt" | "pullover" | "cardigan" | "frock" | "gown";
  hex: string;
  inner: string;
  hem: number;
  shortSleeves: boolean;
  legs: string;
  skirt: string;
  shoes: string;
  tie: string;
  stripes: string;
  stethoscope: boolean;
  badge: boolean;
  glasses: boolean;
  headset: boolean;
}

const PLAIN: Dress = {
  cut: "shirt",
  hex: "#7fa3b8",
  inner: "#f6f1e6",
  hem: 2,
  shortSleeves: false,
  legs: "#565f7a",
  skirt: "",
  shoes: "#4c4658",
  tie: "",
  stripes: "",
  stethoscope: false,
  badge: false,
  glasses: false,
  headset: false,
};

const WHITE = "#fbfaf6";
const COAT: Partial<Dress> = { cut: "coat", hex: WHITE, hem: 13, badge: true };
const SUIT: Partial<Dress> = { cut: "jacket", inner: "#f4f3f0", hem: 4 };
const SCRUBS: Partial<Dress> = { cut: "scrubs", hem: 4, shortSleeves: true, badge: true, shoes: "#e9ebee" };

const ROLES: Record<string, Partial<Dress>> = {
  doctor: { ...COAT, inner: "#2f8d80", legs: "#4d5a74", stethoscope: true },
  examinee: { ...COAT, inner: "#5d9b6c", legs: "#4f8860", hem: 8, stethoscope: true },
  student: { ...COAT, inner: "#e0a84c", legs: "#5a6480", hem: 5 },
  examination: { ...COAT, inner: "#9a8cc9", legs: "#5f5a86" },
  synthesizer: { ...COAT, inner: "#9a8cc9", legs: "#5f5a86" },
  describer: { ...COAT, inner: "#5d86b8", legs: "#44546f", hem: 10 },
  nurse: { ...SCRUBS, hex: "#5b9fc4", inner: "#4b8db3", legs: "#5595ba" },
  team: { ...SCRUBS, hex: "#5b9fc4", inner: "#4b8db3", legs: "#5595ba" },
  tutor: { ...SUIT, hex: "#964a5b", inner: "#f4e9dc", legs: "#56465a", glasses: true },
  specialist: { ...SUIT, hex: "#3d5480", legs: "#3d4f76", tie: "#c9604f" },
  consultant: { ...SUIT, hex: "#3d5480", legs: "#3d4f76", tie: "#c9604f" },
  supervisor: { ...SUIT, hex: "#7c8290", legs: "#5d6373", tie: "#4f8f86" },
  expert: { ...SUIT, hex: "#7d8358", inner: "#f4efdd", legs: "#5f5f4d", tie: "#a5713f" },
  controller: { cut: "pullover", hex: "#5b6178", inner: "#8d93a8", legs: "#474c61", headset: true },
  summarizer: { cut: "cardigan", hex: "#7f93b5", inner: "#f2ece0", legs: "#5b6178" },
  clerk: { cut: "cardigan", hex: "#4d9a8d", inner: "#f5efe3", legs: "#58607a", badge: true },
};
/** The sets of people who work here under other names (those of a team are told by name and office). */
const OFFICES: [RegExp, string][] = [
  [/nurs|team|paramedic|midwi|technician|assistant/i, "team"],
  [/doctor|physician|registrar|surgeon|anaesth/i, "doctor"],
];

const OWN: Partial<Dress>[] = [
  { cut: "pullover", hex: "#b8697a", inner: "#f3e7da", legs: "#4f5a78" },
  { cut: "shirt", hex: "#6b93bf", inner: "#eef2f5", legs: "#6f6554" },
  { cut: "cardigan", hex: "#8aa67a", inner: "#f4eede", legs: "#59607a" },
  { cut: "pullover", hex: "#d4a54f", inner: "#f6efdf", legs: "#4e5874", stripes: "#f1e2bd" },
  { cut: "shirt", hex: "#d9cdb8", inner: "#f8f3e8", legs: "#4f6485" },
  { cut: "cardigan", hex: "#7d78ad", inner: "#efe7ee", legs: "#5d5668" },
  { cut: "pullover", hex: "#5f9c97", inner: "#eaf1ee", legs: "#6a5f58", stripes: "#cfe4dd" },
  { cut: "shirt", hex: "#c77f5c", inner: "#f6ebdf", legs: "#4b556e", shortSleeves: true },
];

/** The clothes of somebody; who lies in a bed has a gown. */
export function dressOf(looks: Looks, lying: boolean): Dress {
  const patient = looks.role === "patient";
  if (patient && lying) return { ...PLAIN, cut: "gown", hex: "#c4dfe6", inner: "#c4dfe6", hem: 4, shortSleeves: true };
  const office = Object.hasOwn(ROLES, looks.role) ? looks.role : OFFICES.find(([words]) => words.test(looks.role))?.[1];
  const worn = office && ROLES[office];
  if (worn) return { ...PLAIN, ...worn };
  const own = OWN[looks.clothes % OWN.length]!;
  const skirt = looks.sex === "female" && looks.age !== "child" && looks.clothes % 4 === 2 ? own.legs! : "";
  return { ...PLAIN, ...own, skirt };
}
