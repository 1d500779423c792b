// A station's log as lines of a conversation, and what the room shows beside it. Pure functions.
import type { LogItem, SittingState } from "#/api/types-of.ts";
import { moodOf, type Mood } from "#/design/Face.tsx";
import { clock } from "#/design/text.ts";
import { plainItems, type TalkItem } from "#/practise/talk/items.ts";
import { pronounSex, statedLook, type Look } from "#/practise/talk/look.ts";
import { resultOf } from "#/practise/talk/results.ts";

export interface Person {
  id: string;
  name: string;
  role: string;
  about: string;
}

/** The examinee's view. */
export interface StationView {
  instructions: string;
  setting: string;
  opening: string;
  people: Person[];
  whole_case: string | null;
}

type Fields = Record<string, unknown>;
const SILENT = new Set(["turn", "state", "assessed", "cue", "acted", "ended", "order"]);

export function stationItems(state: SittingState, readings: Record<string, string>): TalkItem[] {
  let seen = "";
  const team = new Set((state.view as unknown as StationView).people?.filter((one) => one.role === "team").map((one) => one.name));
  return state.feed.flatMap((item): TalkItem[] => {
    if (item.reply) return ownLines(item.id, item.reply as Fields);
    const event = (item.event ?? {}) as Fields;
    const { id } = item;
    const text = String(event.text ?? "");
    switch (event.kind) {
      case "spoke": {
        const who = String(event.who);
        return [{ kind: "words", id, who, text, ...(team.has(who) ? { look: "advice" as const } : {}) }];
      }
      case "happened":
        return [{ kind: "happening", id, text }];
      case "observed": {
        const status = String(event.status);
        const fresh = status !== seen;
        seen = status;
        const signs = Object.entries((event.vitals ?? {}) as Record<string, string>).map(([name, value]) => `${short(name)} ${value}`);
        const shown = [fresh ? status : "", signs.length ? `Monitor: ${signs.join(", ")}.` : ""].filter(Boolean).join("\n");
        return shown ? [{ kind: "happening", id, text: shown }] : [];
      }
      case "present":
        return [{ kind: "happening", id, text: `${String(event.who)} ${event.here ? "comes in" : "leaves"}.` }];
      case "taken":
        return [{ kind: "act", id, text: `Under way: ${String(event.name)}, ready at ${clock(Number(event.ready_minute))}` }];
      case "result":
        return [resultOf(item, state, readings)];
      case "notice":
        return [{ kind: "notice", id, text }];
    }
    return SILENT.has(String(event.kind)) ? [] : plainItems(item);
  });
}

/** One's own turn in words: what is said, what is done, and that all is done. */
export function ownLines(id: string, move: Fields): TalkItem[] {
  const speak = String(move.speak ?? "").trim();
  const acts = (move.actions ?? []) as string[];
  const lines: TalkItem[] = [];
  const next = () => (lines.length ? `${id}/${lines.length}` : id);
  if (speak) lines.push({ kind: "words", id: next(), who: "You", mine: true, text: speak });
  for (const act of acts) lines.push({ kind: "act", id: next(), mine: true, text: `You do: ${act}` });
  if (move.eos) lines.push({ kind: "act", id: next(), mine: true, text: "You say that all that is due is done" });
  if (!lines.length) lines.push({ kind: "act", id, mine: true, text: "You let time pass" });
  return lines;
}

export interface Sign {
  name: string;
  short: string;
  value: string;
  /** The value before it, if it was another one, and the way it went. */
  before: string;
  way: "up" | "down" | "";
}

/** The vital signs as they were last seen, how they went since the time before, and when that was. */
export function signsIn(feed: LogItem[]): { signs: Sign[]; minute: number } | null {
  const seen = feed.filter((item) => Object.keys(vitals(item)).length > 0);
  const last = seen.at(-1);
  if (!last) return null;
  const signs = Object.entries(vitals(last)).map(([name, value]): Sign => {
    const before = seen.slice(0, -1).findLast((item) => vitals(item)[name] !== undefined && vitals(item)[name] !== value);
    const was = before ? vitals(before)[name]! : "";
    const change = number(value) - number(was);
    return { name, short: short(name), value, before: was, way: change > 0 ? "up" : change < 0 ? "down" : "" };
  });
  return { signs, minute: last.minute };
}

const vitals = ({ event }: LogItem): Record<string, string> => (event?.kind === "observed" ? event.vitals : {});
const number = (value: string) => Number.parseFloat(/-?\d+(?:\.\d+)?/.exec(value)?.[0] ?? "NaN");

const SHORT: Record<string, string> = {
  "heart rate": "Pulse",
  "blood pressure": "BP",
  "respiratory rate": "Resp",
  "oxygen saturation": "SpO₂",
  temperature: "Temp",
};

function short(name: string): string {
  return SHORT[name.toLowerCase()] ?? name;
}

export interface Somebody extends Person, Look {
  mood: Mood;
  /** Whether they came in after the beginning. */
  came: boolean;
}

/** Who is in the room now, the patient first, and who has left. */
export function peopleIn(view: StationView, feed: LogItem[]): { here: Somebody[]; left: string[] } {
  const here = new Map(view.people.map((one) => [one.name, { ...one, came: false }]));
  const left = new Set<string>();
  for (const { event } of feed) {
    if (event?.kind !== "present") continue;
    const name = String(event.who);
    if (event.here) {
      if (!here.has(name)) here.set(name, { id: name, name, role: String(event.role), about: "", came: true });
      left.delete(name);
    } else {
      here.delete(name);
      left.add(name);
    }
  }
  const people = [...here.values()].sort((a, b) => Number(b.role === "patient") - Number(a.role === "patient"));
  return { here: people.map((one) => ({ ...one, ...lookOf(one, view, feed), mood: mood(one, view, feed) })), left: [...left] };
}

function lookOf(person: Person, view: StationView, feed: LogItem[]): Look {
  const own = statedLook(`${person.name}. ${person.about}`);
  if (person.role !== "patient") return { age: own.age, sex: own.sex };
  const about = view.opening.slice(Math.max(0, view.opening.indexOf(person.name)));
  const told = statedLook(about);
  const sex = own.sex ?? pronounSex(statuses(feed)[0] ?? "") ?? told.sex;
  return { age: own.age ?? told.age, sex };
}

function mood(person: Person, view: StationView, feed: LogItem[]): Mood {
  if (person.role !== "patient") return moodOf([person.about]);
  return moodOf(statuses(feed).length ? statuses(feed) : [view.opening]);
}

/** What was seen of the patient, in order. */
export function statuses(feed: LogItem[]): string[] {
  return feed.flatMap(({ event }) => (event?.kind === "observed" ? [event.status] : []));
}

/** The number of the turn that is open now. */
export function turnNow(feed: LogItem[]): number {
  const last = feed.findLast((item) => item.event?.kind === "turn")?.event;
  return last?.kind === "turn" ? last.turn : 1;
}
