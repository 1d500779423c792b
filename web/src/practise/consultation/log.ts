// A consultation's log as lines of a conversation, and what the doctor's board shows. Pure functions.
import type { LogItem, SittingState } from "#/api/types-of.ts";
import { clock } from "#/design/text.ts";
import { plainItems, type Result, type TalkItem } from "#/practise/talk/items.ts";

/** The doctor's view, as far as the screen reads it. */
export interface DoctorView {
  door_note: string;
  patient_opening: string;
  age_years: number | null;
  sex: "female" | "male" | null;
  task: { kind: string; question: string; options: Record<string, string> | null };
  max_visits: number;
  has_consultant: boolean;
}

const UNKNOWN: DoctorView = {
  door_note: "",
  patient_opening: "",
  age_years: null,
  sex: null,
  task: { kind: "diagnosis", question: "", options: null },
  max_visits: 1,
  has_consultant: false,
};

/** The view as the server sends it; what it leaves out is not known. */
export function doctorView(state: SittingState): DoctorView {
  return { ...UNKNOWN, ...(state.view as Partial<DoctorView>) };
}

type Fields = Record<string, unknown>;

/** Kinds that stand elsewhere on the screen, or mean nothing to the doctor. */
const SILENT = new Set(["turn", "place", "move", "order", "released", "recalled", "leaning", "ended"]);

export function talkItems(state: SittingState, readings: Record<string, string>): TalkItem[] {
  const view = doctorView(state);
  const opening: TalkItem[] = view.patient_opening
    ? [{ kind: "words", id: "0.0", who: "Patient", text: view.patient_opening }]
    : [];
  const said = state.feed.some((item) => item.event?.kind === "said" && item.event.text === view.patient_opening);
  return [...(said ? [] : opening), ...state.feed.flatMap((item) => lineOf(item, state, readings))];
}

function lineOf(item: LogItem, state: SittingState, readings: Record<string, string>): TalkItem[] {
  if (item.reply) return item.seat === state.seat ? ownLine(item.id, item.reply as Fields) : plainItems(item);
  const event = item.event as Fields | null;
  if (!event) return plainItems(item);
  const { id } = item;
  const text = String(event.text ?? "");
  switch (event.kind) {
    case "said":
      return event.by === state.seat ? [] : [{ kind: "words", id, who: name(String(event.by)), text }];
    case "advice": {
      const parts = [event.note, event.next_question && `You might ask: ${String(event.next_question)}`];
      parts.push(event.diagnosis_suggestion && `Think of: ${String(event.diagnosis_suggestion)}`);
      parts.push(event.recommend_finalize ? "I would conclude now." : "");
      return [{ kind: "words", id, who: "Consultant", look: "advice", text: parts.filter(Boolean).join("\n") }];
    }
    case "taken":
      return [{ kind: "act", id, text: `Under way: ${String(event.name)}, ready at ${clock(Number(event.ready_minute))}` }];
    case "result":
      return [resultOf(item, state, readings)];
    case "visit":
      return Number(event.visit) > 1 ? [{ kind: "divider", id, text: `Visit ${String(event.visit)}, ${clock(item.minute)}` }] : [];
    case "notice":
      return [{ kind: "notice", id, text }];
    case "registered":
      return [{ kind: "happening", id, text: `On the form: ${text}` }];
    case "consult":
      return [];
  }
  return SILENT.has(String(event.kind)) ? [] : plainItems(item);
}

/** One's own move in words. */
export function ownLine(id: string, move: Fields): TalkItem[] {
  switch (move.action) {
    case "ASK":
      return [{ kind: "words", id, who: "You", mine: true, text: String(move.question) }];
    case "REQUEST_TEST":
      return [{ kind: "act", id, mine: true, text: `You order: ${String(move.test_name)}` }];
    case "CALL_MDT":
      return move.question
        ? [{ kind: "words", id, who: "You", mine: true, to: "the consultant", text: String(move.question) }]
        : [{ kind: "act", id, mine: true, text: "You ask the consultant" }];
    case "WAIT":
      return [{ kind: "act", id, mine: true, text: "You wait" }];
    case "FINALIZE":
      return [{ kind: "happening", id, text: concludedWith(move) }];
  }
  return [];
}

/** All that was concluded: a debrief quotes the plan as well as the diagnosis. */
function concludedWith(move: Fields): string {
  const plan = Array.isArray(move.plan) ? move.plan.map(String) : [];
  const parts = [`You conclude: ${String(move.diagnosis)}`];
  if (plan.length) parts.push(`Plan: ${plan.join("; ")}`);
  if (move.followup) parts.push(`Follow-up: ${String(move.followup)}`);
  return parts.join(". ");
}

function resultOf(item: LogItem, state: SittingState, readings: Record<string, string>): Result {
  const event = item.event as Fields;
  const reading = readings[item.id];
  return {
    kind: "result",
    id: item.id,
    name: String(event.name),
    text: String(event.text ?? ""),
    returned: event.returned !== false,
    minute: item.minute,
    picture: item.picture ?? "",
    unread: (state.unread ?? []).includes(item.id),
    ...(reading ? { reading } : {}),
  };
}

export function resultsIn(items: TalkItem[]): Result[] {
  return items.filter((item) => item.kind === "result");
}

/** Tests that were accepted and have no result yet: of one order, each has its own. */
export function pendingIn(feed: LogItem[]): { name: string; ready: number; order: number }[] {
  const events = feed.map((item) => (item.event ?? {}) as Fields);
  const test = (event: Fields) => `${String(event.order)} ${String(event.name)}`;
  const came = new Set(events.filter((event) => event.kind === "result").map(test));
  return events
    .filter((event) => event.kind === "taken" && !came.has(test(event)))
    .map((event) => ({ name: String(event.name), ready: Number(event.ready_minute), order: Number(event.order) }));
}

/** What was heard and found, to pick evidence from: results first, then words, the latest first, each once. */
export function evidenceIn(items: TalkItem[]): { id: string; text: string }[] {
  const results: { id: string; text: string }[] = [];
  const heard: { id: string; text: string }[] = [];
  for (const item of items) {
    if (item.kind === "words" && !item.mine && item.look !== "advice")
      heard.push(...sentences(item.text).map((text, k) => ({ id: `${item.id}/${k}`, text })));
    if (item.kind === "result" && item.returned && item.text) results.push({ id: item.id, text: `${item.name}: ${item.text}` });
  }
  const once = new Map([...results.reverse(), ...heard.reverse()].map((one) => [one.text, one]));
  return [...once.values()];
}

function sentences(text: string): string[] {
  return (text.match(/[^.!?]+[.!?]*["')\]]*/g) ?? []).map((one) => one.trim()).filter((one) => one.length > 3 && !one.endsWith("?"));
}

function name(seat: string): string {
  return seat.charAt(0).toUpperCase() + seat.slice(1).replaceAll("_", " ");
}

/** "Woman, 58 years", from the view's age and sex. */
export function patientName(view: DoctorView): string {
  const years = view.age_years;
  if (years === null) return view.sex === "female" ? "A woman" : view.sex === "male" ? "A man" : "The patient";
  const young = years < 18;
  const word =
    view.sex === "female" ? (young ? "Girl" : "Woman") : view.sex === "male" ? (young ? "Boy" : "Man") : young ? "Child" : "Patient";
  if (years >= 2) return `${word}, ${Math.floor(years)} years`;
  const months = Math.round(years * 12);
  return `${word}, ${months >= 1 ? `${months} month${months === 1 ? "" : "s"}` : `${Math.round(years * 365)} days`}`;
}
