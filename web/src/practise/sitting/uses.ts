// What a person may permit to be done with their words.
import type { Disclosure } from "#/api/types-of.ts";

export type Use = Disclosure["uses"][number];

export const USE_WORDS: Record<Use, { short: string; asks: string }> = {
  practice: { short: "your own practice", asks: "My own practice (always)" },
  teacher: { short: "your teacher may read them", asks: "My teacher may read them" },
  research: { short: "research may use them", asks: "Research may use them" },
  training: { short: "language models may be trained on them", asks: "Language models may be trained on them" },
  share: { short: "they may be shown to others", asks: "They may be shown to others" },
};
