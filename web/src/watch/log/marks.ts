// The moments that are marked, each with a word and a drawing: never by colour alone.
import type { IconName } from "#/design/Icon.tsx";
import type { LogItem } from "#/evaluate/types.ts";

export type Mark = NonNullable<LogItem["mark"]>;

export const MARKS: Record<Mark, { word: string; key: string; icon: IconName; shape: string }> = {
  evidence: { word: "Evidence", key: "e", icon: "tick", shape: "M5 0l5 5-5 5-5-5z" },
  order: { word: "Order", key: "o", icon: "test", shape: "M0.5 0.5h9v9h-9z" },
  consult: { word: "Consult", key: "c", icon: "consult", shape: "M5 0a5 5 0 1 0 .01 0zM5 3a2 2 0 1 1-.01 0z" },
  thought: { word: "Thought", key: "t", icon: "light", shape: "M5 0a5 5 0 1 0 .01 0z" },
  refusal: { word: "Refused", key: "r", icon: "cross", shape: "M0 2l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z" },
  end: { word: "End", key: "d", icon: "conclude", shape: "M1 0h2v10h-2zM3 0.500h7l-2 2.500 2 2.500h-7z" },
};
export const KINDS = Object.keys(MARKS) as Mark[];
