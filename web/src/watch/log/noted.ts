// The table's own entries in plain words. They have no wording, since nobody at the table is told them.
import { capital } from "#/design/text.ts";
import type { LogItem } from "#/evaluate/types.ts";
import { plain } from "#/evaluate/words.ts";

const GATES: Record<string, string> = {
  asked: "it was asked for",
  volunteered: "it was told unasked",
  ordered: "it was ordered",
};
const SOURCES: Record<string, string> = {
  case: "from the case",
  "policy:normal": "not in the case: a normal finding was given",
  synthetic: "not in the case: made up for it",
};

/** The label and the words of an item that has no lines. */
export function noted(item: LogItem): [label: string, text: string] {
  if (!item.event) return ["Thought", "asked others before answering"];
  const { kind, minute: _minute, to: _to, ...rest } = item.event;
  if (kind === "released") {
    const { item: what, gate, provenance } = rest as Record<string, string>;
    const why = [GATES[gate ?? ""], SOURCES[provenance ?? ""]].filter(Boolean).join(", ");
    return ["Became known", `${named(what ?? "")}${why && ` (${why})`}`];
  }
  return [capital(plain(String(kind))), inWords(rest) || "nothing more is noted"];
}

/** An entry of a case by its id: "f12" is a number in a list, "read_report" says what it is. */
const named = (id: string) => (/^[a-z]\d+$/.test(id) ? `entry ${id} of the case` : plain(id));

function inWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(inWords).filter(Boolean).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([key, one]) => [plain(key), inWords(one)])
    .filter(([, words]) => words)
    .map((pair) => pair.join(": "))
    .join("; ");
}
