// What the notebook and the board show beside the cards: the words by which something was earned, and the conclusion.
import { compareIds } from "#/hospital/search.ts";
import type { LogItem } from "#/evaluate/types.ts";
import type { Row } from "./rows.ts";

/** The words after which a card was earned: the last that were said in the same exchange. */
export function earnedBy(rows: Row[], id: string): string {
  const n = id.split(".")[0];
  const row = rows.findLast(({ item }) => compareIds(item.id, id) < 0 && String(item.n) === n && item.lines.some(({ kind }) => kind === "said"));
  return row?.item.lines.find(({ kind }) => kind === "said")?.text ?? "";
}

export interface Ground {
  text: string;
  /** The row that says it, word for word; `null` if none does. */
  row: Row | null;
}

export interface Conclusion {
  row: Row;
  lines: { label: string; text: string }[];
  confidence: number | null;
  grounds: Ground[];
}

/** The last conclusion among the rows, each of its grounds with the row where it was earned. */
export function conclusionOf(rows: Row[]): Conclusion | null {
  const at = rows.findLastIndex(({ item }) => item.lines.some(({ kind }) => kind === "concludes"));
  const row = rows[at];
  if (!row) return null;
  const reply = row.item.reply ?? {};
  const given = Array.isArray(reply.evidence) ? reply.evidence.filter((one): one is string => typeof one === "string") : [];
  const before = rows.slice(0, at);
  return {
    row,
    lines: row.item.lines.map(({ label, text }) => ({ label, text })),
    confidence: typeof reply.confidence === "number" ? reply.confidence : null,
    grounds: given.map((text) => ({ text, row: before.find(({ item }) => says(item, text)) ?? null })),
  };
}

const flat = (text: string) => text.toLowerCase().replace(/\s+/g, " ").replace(/[.\s]+$/, "").trim();

function says(item: LogItem, text: string): boolean {
  const wanted = flat(text);
  return wanted !== "" && item.lines.some((line) => flat(line.text).includes(wanted));
}

export interface Limit {
  name: string;
  left: number;
  /** The most that was left so far. */
  of: number;
}

/** The limits that were last told, by the events of turns so far. */
export function limitsOf(rows: Row[]): Limit[] {
  const turns = rows.map(({ item }) => item.event).filter((event) => event?.kind === "turn") as unknown as Record<string, unknown>[];
  const last = turns.at(-1);
  if (!last) return [];
  return (["turns", "tests", "minutes", "cost"] as const).flatMap((name) => {
    const left = last[`${name}_left`];
    if (typeof left !== "number") return [];
    const of = Math.max(...turns.map((turn) => Number(turn[`${name}_left`]) || 0));
    return [{ name: name === "cost" ? "points" : name, left, of }];
  });
}
