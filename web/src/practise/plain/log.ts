// The log of a protocol that has no room of its own: each line as the protocol words it. Pure functions.
import type { LogItem, SittingState } from "#/api/types-of.ts";
import { plainItems, type TalkItem } from "#/practise/talk/items.ts";
import { resultOf } from "#/practise/talk/results.ts";
import { words } from "./schema.ts";

export function plainLines(state: SittingState, readings: Record<string, string>): TalkItem[] {
  return state.feed.flatMap((item): TalkItem[] => {
    if (item.reply) return [ownLine(item.id, item.reply as Record<string, unknown>, item)];
    if (item.picture || item.event?.kind === "result") return [resultOf(item, state, readings)];
    return plainItems(item).map((line) => (line.kind === "words" ? { ...line, who: words(line.who) } : line));
  });
}

/** One's own reply: its words if it has one field with text, and else each field with its name. */
export function ownLine(id: string, reply: Record<string, unknown>, item?: LogItem): TalkItem {
  const worded = (item?.lines ?? []).map((line) => line.text).filter(Boolean);
  const fields = Object.entries(reply).filter(([, value]) => value !== null && value !== "" && value !== false && !isEmpty(value));
  const own = fields.map(([name, value]) => (fields.length === 1 && typeof value === "string" ? value : `${words(name)}: ${shown(value)}`));
  const plain = fields.length === 1 && typeof fields[0]![1] === "string";
  const text = worded.length && !plain ? worded.join("\n") : own.join("\n");
  return { kind: "words", id, who: "You", mine: true, text: text || "Nothing" };
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

/** A value in words, without brackets where there is no need of them. */
export function shown(value: unknown): string {
  if (value === true) return "yes";
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
