// What the tour stops at, found in the log of a recorded consultation.
import type { LogItem } from "#/evaluate/types.ts";

export interface Scene {
  /** The index of the last item shown. */
  at: number;
  says: string;
  /** Whether the item is a picture to be read: first without its report, then with it. */
  picture?: "raw" | "reported";
}

const kindOf = (item: LogItem) => String(item.event?.kind ?? "");
const act = (item: LogItem) => String(item.reply?.action ?? "");

/** The scenes of a log, in order; a scene whose moment is not in it is left out. */
export function scenesOf(items: LogItem[]): Scene[] {
  const found: Scene[] = [];
  let from = 0;
  const stop = (says: string, holds: (item: LogItem) => boolean, picture?: Scene["picture"]) => {
    const at = items.findIndex((item, k) => k >= from && holds(item));
    if (at < 0) return;
    found.push({ at, says, ...(picture ? { picture } : {}) });
    from = picture === "raw" ? at : at + 1;
  };
  const said = (item: LogItem) => kindOf(item) === "said";
  const pictured = (item: LogItem) => kindOf(item) === "result" && item.picture !== "";
  stop("A patient comes in. You know what stands on the door, and what she says first.", said);
  stop("You examine and order tests by name, from one list that is the same for every case.", (item) => act(item) === "REQUEST_TEST");
  stop("You talk as you would. She tells what you ask for, and nothing else.", (item) => said(item) && item.n > 4);
  stop("Time passes as in a clinic. What comes back is kept among your findings.", (item) => kindOf(item) === "result" && !item.picture);
  stop("Her earlier pains she tells because she was asked. What is not asked for stays untold.", (item) => said(item) && item.n > 13);
  stop("A tracing comes as it is. You write what you see.", pictured, "raw");
  stop("Only then you read the report.", pictured, "reported");
  stop("When you are sure enough, you conclude: diagnosis, reasons, plan.", (item) => act(item) === "FINALIZE");
  const at = items.length - 1;
  if (at >= 0) found.push({ at, says: "Now it is your turn: the same patient waits." });
  return found;
}
