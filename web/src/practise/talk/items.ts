// The lines of a conversation, as every room shows them. A room turns its protocol's log into these.
import type { LogItem } from "#/api/types-of.ts";
import { capital } from "#/design/text.ts";

export interface Words {
  kind: "words";
  id: string;
  /** The speaker's name, as shown: "Patient", "Nurse Okoro". */
  who: string;
  text: string;
  mine?: boolean;
  /** Who alone hears it, if not everybody does: "the tutor". */
  to?: string;
  /** Who alone hears it, in words that stand beside the name: "only the tutor hears this". */
  only?: string;
  /** `draft`: not said yet; `thought`: heard by nobody; `private`: not heard by all; `advice`: a colleague's. */
  look?: "draft" | "thought" | "private" | "advice";
}

/** Something done, in one quiet line: "You order an ECG". */
export interface Act {
  kind: "act";
  id: string;
  text: string;
  mine?: boolean;
}

export interface Result {
  kind: "result";
  id: string;
  name: string;
  text: string;
  returned: boolean;
  minute: number;
  /** The picture's address, empty if there is none. */
  picture: string;
  /** Whether the report waits for this person's own reading of the picture. */
  unread: boolean;
  /** What this person wrote, if it was on this device. */
  reading?: string;
}

/** A word of the table: a limit, a refusal. */
export interface Notice {
  kind: "notice";
  id: string;
  text: string;
}

/** Something that is seen or happens. */
export interface Happening {
  kind: "happening";
  id: string;
  text: string;
}

/** A new visit, round or day. */
export interface Divider {
  kind: "divider";
  id: string;
  text: string;
}

export type TalkItem = Words | Act | Result | Notice | Happening | Divider;

/** What is shown for an event that a room does not know: its wording by the server, if it was public. */
export function plainItems(item: LogItem): TalkItem[] {
  return (item.lines ?? []).map((line, k): TalkItem => {
    const id = k ? `${item.id}/${k}` : item.id;
    if (line.kind === "said") return { kind: "words", id, who: line.label, text: line.text };
    if (line.kind === "notice") return { kind: "notice", id, text: line.text };
    if (line.kind === "does") return { kind: "act", id, text: line.text };
    return { kind: "happening", id, text: capital(`${line.label}: ${line.text}`) };
  });
}

/** Compares ids "N.I" as two whole numbers. */
export function byId(a: string, b: string): number {
  const [n, i] = a.split(".").map(Number);
  const [m, j] = b.split(".").map(Number);
  return n! - m! || (i ?? 0) - (j ?? 0);
}
