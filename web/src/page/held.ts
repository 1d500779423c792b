// What a page holds: an episode in the views that it was written for.
import type { LogItem } from "#/evaluate/types.ts";
import type { HospitalPlan } from "#/hospital/art/contract.ts";
import type { Choreography } from "#/hospital/types.ts";

export interface HeldView {
  name: string;
  items: LogItem[];
  made: Choreography;
}

export interface Held {
  title: string;
  note: string;
  ended: boolean;
  plan: HospitalPlan;
  views: HeldView[];
}

/** The episode that stands in the page. Where the log names a picture it stands once, beside the views. */
export function held(): Held {
  const found = JSON.parse(document.getElementById("data")!.textContent!) as Held & { pictures: Record<string, string> };
  const shown = <T extends { picture: string }>(one: T): T => (one.picture ? { ...one, picture: found.pictures[one.picture] ?? "" } : one);
  const views = found.views.map(({ name, items, made }) => ({ name, items: items.map(shown), made: { ...made, cards: made.cards.map(shown) } }));
  return { ...found, views };
}
