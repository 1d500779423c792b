// A ward round's log as the group's talk, and what stands at the bedside. Pure functions.
import type { LogItem, SittingState } from "#/api/types-of.ts";
import { plainItems, type Result, type TalkItem, type Words } from "#/practise/talk/items.ts";
import { resultOf } from "#/practise/talk/results.ts";

export interface Step {
  number: number;
  key_question: string;
  summary: string;
  image: string | null;
}

/** A student's view, or the tutor's: only the tutor's has an answer, steps and students. */
export interface RoundView {
  door_note: string;
  question: string;
  chart: { name: string; result: string }[];
  images: { id: string; name: string; picture: string }[];
  you?: { name: string };
  peers?: string[];
  has_patient?: boolean;
  has_expert?: boolean;
  /** Whether the whole group hears questions to the expert, and the answers. */
  all_hear_expert?: boolean;
  students?: string[];
  answer?: string;
  steps?: Step[];
}

export interface Question {
  id: string;
  question: string;
  options: Record<string, string> | null;
}

export interface Entry {
  round: number;
  result: Result;
}

type Fields = Record<string, unknown>;
type Draft = "waits" | "said" | "rejected";
const STUDENTS_HEAR = "the students hear this, the tutor does not";
const SILENT = new Set(["turn", "claim", "ended"]);

export function roundItems(state: SittingState, readings: Record<string, string>): TalkItem[] {
  const tutor = state.seat === "tutor";
  const shared = allHearExpert(state.view);
  return state.feed.flatMap((item, k, feed): TalkItem[] => {
    if (item.reply) return ownLines(item.id, item.reply as Fields, verdict(feed, k, state), shared);
    const event = (item.event ?? {}) as Fields;
    const { id } = item;
    switch (event.kind) {
      case "round":
        return [{ kind: "divider", id, text: roundWords(event) }];
      case "line":
        return [line(id, event, tutor, shared)];
      case "result":
        return [resultOf(item, state, readings)];
      case "review":
        return [review(id, event, ruled(state, String(event.by)))];
      case "unguided":
        return [{ kind: "notice", id, text: `Nothing was said to the group in this round: ${String(event.reason)}` }];
      case "covered": {
        const steps = event.steps as number[];
        return [{ kind: "act", id, text: `Steps counted as covered: ${steps.length ? steps.join(", ") : "none"}` }];
      }
      case "exam":
        return [{ kind: "divider", id, text: `Questions ${String(event.when)} the rounds` }];
      case "wanted":
        if (event.act !== "act" || guided(feed, k)) return [];
        return [{ kind: "happening", id, text: "The tutor says nothing to the group in this round. You can still ask." }];
      case "notice":
        return [{ kind: "notice", id, text: String(event.text) }];
    }
    return SILENT.has(String(event.kind)) ? [] : plainItems(item);
  });
}

function roundWords(event: Fields): string {
  const left = Number(event.rounds_left);
  return `Round ${String(event.round)}${left ? `, ${left} more after it` : ", the last"}`;
}

/** Who alone hears a line, in words for the one who reads it; empty if everybody in the room does. */
function heardBy(event: Fields, tutor: boolean, shared: boolean): string {
  if (event.part === "analysis") return tutor ? "only you hear this" : "only the tutor hears this";
  if (event.part === "query") return shared ? STUDENTS_HEAR : "only the expert hears this";
  if (event.part === "explanation") return shared ? STUDENTS_HEAR : "only you hear this";
  return "";
}

/** Whether the whole group hears what the expert is asked and answers, by a student's view. */
export function allHearExpert(view: unknown): boolean {
  return (view as Partial<RoundView> | null)?.all_hear_expert === true;
}

function line(id: string, event: Fields, tutor: boolean, shared: boolean): Words {
  const words: Words = { kind: "words", id, who: String(event.speaker), text: String(event.text) };
  if (event.part === "draft") return { ...words, look: "draft" };
  const only = heardBy(event, tutor, shared);
  if (only) return { ...words, look: "private", only };
  return event.by === "tutor" ? { ...words, look: "advice" } : words;
}

const REVIEWERS: Record<string, string> = {
  specialist: "The specialist",
  supervisor: "The safety supervisor",
};

/** What a built-in reviewer looks for: a rule knows no more. */
const LOOKS_FOR: Record<string, string> = {
  specialist: "what contradicts this case, and other diagnoses",
  supervisor: "harmful or hurtful wording, the answer, and orders of what the case says to withhold",
};

/** Whether a seat is taken by rules. */
function ruled(state: Pick<SittingState, "disclosure">, seat: string): boolean {
  return (state.disclosure.plays[seat] ?? "").startsWith("a built-in player");
}

function review(id: string, event: Fields, rule: boolean): TalkItem {
  const by = REVIEWERS[String(event.by)] ?? `The ${String(event.by)}`;
  const looks = LOOKS_FOR[String(event.by)];
  const who = rule && looks ? `${by} (a rule: looks only for ${looks})` : by;
  if (event.approved) return { kind: "act", id, text: `${who} ${rule ? "finds nothing in" : "approves"} the draft` };
  const issue = event.issue ? ` (${String(event.issue)})` : "";
  return { kind: "notice", id, text: `${who} rejects the draft${issue}: ${String(event.feedback)}` };
}

/** What became of the tutor's own draft at `k`: it is said once every reviewer has approved it. */
function verdict(feed: LogItem[], k: number, state: SittingState): Draft {
  const after = feed.slice(k + 1);
  const next = after.findIndex((item) => item.reply);
  const since = next < 0 ? after : after.slice(0, next);
  const reviews = since.flatMap(({ event }) => (event?.kind === "review" ? [event] : []));
  if (reviews.some((event) => event.approved === false)) return "rejected";
  const reviewers = Object.keys(REVIEWERS).filter((seat) => seat in state.disclosure.plays);
  if (reviews.length >= reviewers.length) return "said";
  return state.status === "ended" ? "rejected" : "waits";
}

/** Whether the tutor said something to the group in the round in which `k` stands. */
function guided(feed: LogItem[], k: number): boolean {
  const before = feed.slice(0, k);
  const since = before.findLastIndex((item) => item.event?.kind === "round");
  return before.slice(since + 1).some((item) => item.event?.kind === "line" && item.event.part === "guidance");
}

/** One's own reply in words. */
export function ownLines(id: string, reply: Fields, draft: Draft = "waits", shared = false): TalkItem[] {
  const own = { kind: "words" as const, who: "You", mine: true };
  if (typeof reply.guidance === "string") {
    if (draft === "said") return [{ ...own, id, to: "the group", text: reply.guidance }];
    const only = draft === "waits" ? "being reviewed" : "the group did not hear it";
    return [{ ...own, id, look: "draft", only, text: reply.guidance }];
  }
  if (typeof reply.analysis_for_teacher === "string")
    return [{ ...own, id, look: "private", only: "only the tutor hears this", text: reply.analysis_for_teacher }];
  if (reply.answers && typeof reply.answers === "object") {
    const given = Object.values(reply.answers as Record<string, string>).filter((one) => one.trim()).length;
    return [{ kind: "act", id, mine: true, text: `You hand in your answers (${given})` }];
  }
  const lines: TalkItem[] = [];
  if (reply.query_for_patient) lines.push({ ...own, id, to: "the patient", text: String(reply.query_for_patient) });
  if (reply.query_for_expert) {
    const text = String(reply.query_for_expert);
    const only = shared ? STUDENTS_HEAR : "only the expert hears this";
    lines.push({ ...own, id: lines.length ? `${id}/1` : id, look: "private", only, text });
  }
  return lines.length ? lines : [{ kind: "act", id, mine: true, text: "You ask nothing" }];
}

/** The chart: what stood there at the beginning, and the results since, with the round that brought them. */
export function chartIn(view: RoundView, state: SittingState, readings: Record<string, string>): Entry[] {
  const images = new Map((view.images ?? []).filter((one) => one.picture).map((one) => [one.name, one.picture]));
  const standing = (name: string, text: string, k: number): Entry => ({
    round: 0,
    result: { kind: "result", id: `chart-${k}`, name, text, returned: true, minute: 0, picture: images.get(name) ?? "", unread: false },
  });
  const first = (view.chart ?? []).map(({ name, result }, k) => standing(name, result, k));
  const named = new Set((view.chart ?? []).map((one) => one.name));
  const alone = [...images.keys()].filter((name) => !named.has(name)).map((name, k) => standing(name, "", first.length + k));
  let round = 0;
  const since = state.feed.flatMap((item): Entry[] => {
    if (item.event?.kind === "round") round = Number(item.event.round);
    return item.event?.kind === "result" ? [{ round, result: resultOf(item, state, readings) }] : [];
  });
  return [...first, ...alone, ...since];
}

/** The questions of the exam that is open. */
export function questionsIn(feed: LogItem[]): { when: string; items: Question[] } {
  const exam = feed.findLast((item) => item.event?.kind === "exam")?.event as Fields | undefined;
  return { when: String(exam?.when ?? ""), items: (exam?.items ?? []) as Question[] };
}

/** The steps that count as covered. */
export function countedIn(feed: LogItem[]): number[] {
  const last = feed.findLast((item) => item.event?.kind === "covered")?.event as Fields | undefined;
  return (last?.steps ?? []) as number[];
}

/** The steps ticked last: by the tutor's own last reply, or as they were counted since. */
export function coveredIn(feed: LogItem[]): number[] {
  const last = feed.findLast((item) => item.event?.kind === "covered" || item.reply?.covered_steps !== undefined);
  const found = last?.event?.kind === "covered" ? last.event.steps : last?.reply?.covered_steps;
  return (found ?? []) as number[];
}

/** Why a draft is to be written anew: the rejections since the tutor's last reply. */
export function issuesIn(feed: LogItem[]): string[] {
  const last = feed.findLastIndex((item) => item.reply);
  return feed.slice(last + 1).flatMap(({ event }) => {
    if (event?.kind !== "review" || event.approved) return [];
    return [`${event.by}${event.issue ? ` (${event.issue})` : ""}: ${event.feedback}`];
  });
}

/** The tutor's last draft, to begin again from. */
export function lastDraft(feed: LogItem[]): string {
  return String(feed.findLast((item) => typeof item.reply?.guidance === "string")?.reply?.guidance ?? "");
}
