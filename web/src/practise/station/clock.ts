// The station clock: what is left, by the server's time, so that a wrong clock on this device does no harm.
import { useEffect, useMemo, useState } from "react";
import type { SittingState } from "#/api/types-of.ts";

type Clock = NonNullable<SittingState["clock"]>;
export type Phase = "reading" | "running" | "bell" | "over";

export interface Time {
  phase: Phase;
  /** Whole seconds left of the phase that runs: of the reading time, or of the station. */
  left: number;
  /** Minutes between the bell and the end. */
  bellMinutes: number;
}

/** The time at an instant of the server. */
export function timeOf(clock: Clock, now: number): Time {
  const bellMinutes = Math.max(1, Math.round((clock.ends - clock.bell) / 60));
  if (now < clock.reading_ends) return { phase: "reading", left: Math.ceil(clock.reading_ends - now), bellMinutes };
  const left = Math.max(0, Math.ceil(clock.ends - now));
  return { phase: left === 0 ? "over" : now >= clock.bell ? "bell" : "running", left, bellMinutes };
}

/** Whether the clock stands still: the encounter has ended, or is stopped for a while. */
export function stands({ status }: SittingState): boolean {
  return status === "ended" || status === "paused";
}

/** The time now, every second; `null` without a clock. Asks `look` for the end once it has come. */
export function useTime(clock: SittingState["clock"], still: boolean, look: () => void): Time | null {
  const ahead = useMemo(() => (clock ? clock.now - Date.now() / 1000 : 0), [clock]);
  const [, tick] = useState(0);
  const runs = !!clock && !still;
  useEffect(() => {
    if (!runs) return;
    const timer = window.setInterval(() => tick((count) => count + 1), 500);
    return () => window.clearInterval(timer);
  }, [runs]);
  const time = clock ? timeOf(clock, runs ? Date.now() / 1000 + ahead : clock.now) : null;
  const over = runs && time?.phase === "over";
  useEffect(() => {
    if (!over) return;
    look();
    const timer = window.setInterval(look, 2_000);
    return () => window.clearInterval(timer);
  }, [over, look]);
  return time;
}

/** "7:05". */
export function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** "7 minutes 5 seconds", for those who hear it. */
export function spoken(seconds: number): string {
  const [whole, rest] = [Math.floor(seconds / 60), seconds % 60];
  return [whole ? `${whole} minute${whole === 1 ? "" : "s"}` : "", rest || !whole ? `${rest} second${rest === 1 ? "" : "s"}` : ""]
    .filter(Boolean)
    .join(" ");
}
