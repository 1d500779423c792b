// Figures and states in words.
import { visible } from "#/design/text.ts";
import type { Figure, RunLine } from "./types.ts";

export const number = (value: number) => value.toLocaleString("en");

/** A measure's value as people read it: shares in per cent, marks and counts with at most two places. */
export function value(kind: Figure["kind"], amount: number | null): string {
  if (amount === null) return "no score";
  if (kind === "share") return `${round(100 * amount, 1)} %`;
  return amount.toLocaleString("en", { maximumFractionDigits: 2 });
}

function round(amount: number, places: number): string {
  return amount.toLocaleString("en", { maximumFractionDigits: places });
}

/** The difference of two values: in points for shares. */
export function difference(kind: Figure["kind"], amount: number | null): string {
  if (amount === null) return "";
  const sign = amount > 0 ? "+" : amount < 0 ? "−" : "±";
  const size = Math.abs(amount);
  return kind === "share" ? `${sign}${round(100 * size, 1)} points` : `${sign}${round(size, 2)}`;
}

/** How a difference is to be read. */
export function verdict(better: Figure["better"], amount: number | null): { text: string; look: "good" | "bad" | "quiet" } {
  if (amount === null) return { text: "not comparable", look: "quiet" };
  if (amount === 0) return { text: "the same", look: "quiet" };
  if (better === "neither") return { text: amount > 0 ? "more" : "less", look: "quiet" };
  return amount > 0 === (better === "more") ? { text: "better", look: "good" } : { text: "worse", look: "bad" };
}

export const money = (cost: number | null) =>
  cost === null ? "no price" : cost.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: cost < 1 ? 4 : 2 });

/** Large counts, short: "1.2 M". */
export function short(count: number | null): string {
  if (count === null) return "not reported";
  return count.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${round(size / 1000, 1)} kB` : `${round(size / 1e6, 1)} MB`;
}

export function when(seconds: number | null): string {
  if (!seconds) return "";
  return new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

export const RUN_STATES: Record<RunLine["status"], { text: string; look: "good" | "warn" | "quiet" | "own" }> = {
  running: { text: "Running", look: "own" },
  done: { text: "Done", look: "good" },
  paused: { text: "Paused", look: "warn" },
  interrupted: { text: "Stopped early", look: "warn" },
};

export const KINDS: Record<RunLine["kind"], string> = {
  ordinary: "Run",
  practice: "Practice",
  branch: "Branch",
  study: "Study",
};

/** The look of an episode's ending. */
export function ended(status: string): "good" | "warn" | "bad" | "own" {
  if (status === "completed") return "good";
  if (status === "pending") return "own";
  return status.includes("fault") || status.includes("fail") ? "bad" : "warn";
}

export const plain = (name: string) => name.replaceAll("_", " ");

/** A run by its player and its name, for lists too narrow for both; the other words when the run is not known. */
export const playerFirst = (run: RunLine | undefined, otherwise: string) =>
  run?.player ? visible(`${run.player}, ${run.name}`) : visible(otherwise);

/** The seats of a run that another player took than the one under test. */
export const otherSeats = (run: RunLine) =>
  Object.entries(run.cast)
    .filter(([, player]) => player !== run.player)
    .map(([seat, player]) => visible(`${plain(seat)}: ${player}`))
    .join(" · ");
