// Words for what a room's board shows.
import type { Mark, Sees, SittingInRoom } from "./api.ts";

export const STATUS: Record<SittingInRoom["status"], { text: string; look: "good" | "warn" | "quiet" | "own" }> = {
  starting: { text: "begins", look: "quiet" },
  yours: { text: "at work", look: "good" },
  thinking: { text: "waits for an answer", look: "good" },
  paused: { text: "paused", look: "warn" },
  ended: { text: "ended", look: "own" },
};

export const SEES: Record<Sees, string> = {
  live: "Words as they fall",
  after: "Words once it has ended",
  results: "Results only",
};

/** A figure in words: "71 %", "58 % to 83 %: 3 of 12 items could not be told by rules", "unscored: not marked". */
export function figure({ value, most, why, share }: Pick<Mark, "value" | "most" | "why" | "share">): string {
  if (value === null) return `unscored${why ? `: ${why}` : ""}`;
  if (most === null) return number(value, share);
  return `${number(value, share)} to ${number(most, share)}${why ? `: ${why}` : ""}`;
}

export function number(value: number, share: boolean): string {
  return share ? `${Math.round(value * 100)}\u00a0%` : String(Math.round(value * 100) / 100);
}

export function markedBy(by: string): string {
  return by === "rules" ? "by rules" : by;
}

/** A moment to come, for people: "Monday, 14:30". */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** What is left of a clock: "4:05". */
export function left(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The kind of a seat: "student" of "student_1". */
export function kindOf(seat: string): string {
  return seat.replace(/_\d+$/, "");
}

/** A seat as a learner takes it: "the doctor", "a student" for one of several. */
export function seatTaken(seat: string): string {
  const one = kindOf(seat);
  return `${one === seat ? "the" : "a"} ${one.replaceAll("_", " ")}`;
}
