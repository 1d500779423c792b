// Choosing among the cases: pure rules over what a learner may see of them.
import type { ShelfCase } from "#/api/types-of.ts";

export interface Filters {
  words: string;
  protocol: string;
  skill: string;
  level: string;
  minutes: string;
}

export const NO_FILTERS: Filters = { words: "", protocol: "", skill: "", level: "", minutes: "" };

export function chosen(cases: ShelfCase[], filters: Filters): ShelfCase[] {
  const words = filters.words.toLowerCase().split(/\s+/).filter(Boolean);
  return cases.filter((one) => {
    const text = `${one.title} ${one.complaint} ${one.system} ${one.skills.join(" ")}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (!filters.protocol || one.protocol === filters.protocol) &&
      (!filters.skill || one.skills.includes(filters.skill)) &&
      (!filters.level || one.level === filters.level) &&
      (!filters.minutes || one.minutes <= Number(filters.minutes))
    );
  });
}

/** The values of a field over all cases, each once, in order. */
export function values(cases: ShelfCase[], of: (one: ShelfCase) => string[]): string[] {
  return [...new Set(cases.flatMap(of))].filter(Boolean).sort();
}

const PROTOCOLS: Record<string, string> = {
  consultation: "Consultation",
  scenario: "Station",
  ward_round: "Ward round",
  round: "Ward round",
};

export function protocolWords(protocol: string): string {
  return PROTOCOLS[protocol] ?? protocol.replaceAll("_", " ");
}
