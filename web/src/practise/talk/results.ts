// Results of any protocol that orders things: examinations, tests, images.
import type { LogItem, SittingState } from "#/api/types-of.ts";
import type { Result } from "./items.ts";

export function resultOf(item: LogItem, state: Pick<SittingState, "unread">, readings: Record<string, string>): Result {
  const event = item.event as Record<string, unknown>;
  const reading = readings[item.id];
  return {
    kind: "result",
    id: item.id,
    name: String(event.name).replace(/ \(image-\d+\)$/, ""), // the id by which models know a picture
    text: String(event.text ?? ""),
    returned: event.returned !== false,
    minute: item.minute,
    picture: item.picture ?? "",
    unread: (state.unread ?? []).includes(item.id),
    ...(reading ? { reading } : {}),
  };
}
