// A view in words, and its log with its end.
import { capital } from "#/design/text.ts";
import type { LogItem } from "#/evaluate/types.ts";
import { plain } from "#/evaluate/words.ts";
import { hasWords } from "../log/LogRow.tsx";

/** The items of an ended log, of which the last with words is the end, if its view was not told so. */
export function withEnd(items: LogItem[], ended: boolean): LogItem[] {
  const at = items.findLastIndex(hasWords);
  const last = items[at];
  if (!ended || !last || last.mark || items.some(({ mark }) => mark === "end")) return items;
  return items.with(at, { ...last, mark: "end" });
}

/** A view in words. */
export function eyes(view: string): string {
  if (view === "room") return "The room";
  if (view === "all") return "Everything";
  return `${capital(plain(view))}'s eyes`;
}
