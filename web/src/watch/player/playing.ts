// The playhead: where in a log a viewer is, and how it moves on. The log may still be growing.
import { useEffect, useRef, useState } from "react";
import type { LogItem } from "#/evaluate/types.ts";

const WORDS_A_MINUTE = 200;
const LEAST_S = 0.6;
const LONGEST_WAIT_S = 1.5;

/** How long an item is shown at speed 1: the time to read it, and a short wait where simulated time passes. */
export function seconds(item: LogItem, minuteBefore: number): number {
  const words = item.lines.reduce((sum, line) => sum + line.text.split(/\s+/).filter(Boolean).length, 0);
  const wait = Math.min(LONGEST_WAIT_S, Math.max(0, item.minute - minuteBefore) * 0.1);
  return Math.max(LEAST_S, (60 * words) / WORDS_A_MINUTE) + wait;
}

export const SPEEDS = ["0.5", "1", "2", "4", "8", "16", "instant"] as const;
export type Speed = (typeof SPEEDS)[number];

export interface Playhead {
  /** The item that is looked at, counted from 0; -1 if there is none. */
  at: number;
  playing: boolean;
  goTo: (at: number) => void;
  play: (now: boolean) => void;
}

/** A playhead over these items. It starts at `start`, and moves on by itself while it plays. */
export function usePlayhead(items: LogItem[], start: number, speed: Speed, plays: boolean): Playhead {
  const [at, setAt] = useState(start);
  const [playing, setPlaying] = useState(plays);
  const latest = useRef(items);
  latest.current = items;
  const last = items.length - 1;
  const here = Math.max(Math.min(at, last), Math.min(0, last));

  useEffect(() => {
    if (!playing || here >= last) return;
    const item = latest.current[here];
    const before = latest.current[here - 1]?.minute ?? item?.minute ?? 0;
    const wait = speed === "instant" || !item ? 0 : (1000 * seconds(item, before)) / Number(speed);
    const later = window.setTimeout(() => setAt(speed === "instant" ? latest.current.length - 1 : here + 1), wait);
    return () => window.clearTimeout(later);
  }, [playing, here, last, speed]);

  return {
    at: here,
    playing,
    goTo: (next) => setAt(Math.max(0, Math.min(next, latest.current.length - 1))),
    play: (now) => {
      if (now && here >= latest.current.length - 1) setAt(0);
      setPlaying(now);
    },
  };
}

/** The item at an id, or the last before it. Ids are two whole numbers. */
export function indexOf(items: LogItem[], id: string): number {
  const [n = 0, i = 0] = id.split(".").map(Number);
  const found = items.findLastIndex((item) => {
    const [m = 0, k = 0] = item.id.split(".").map(Number);
    return m < n || (m === n && k <= i);
  });
  return Math.max(0, found);
}

/** The first item of the next exchange in a direction. */
export function stepByExchange(items: LogItem[], at: number, by: 1 | -1): number {
  const n = items[at]?.n ?? 0;
  if (by === 1) {
    const next = items.findIndex((one) => one.n > n);
    return next < 0 ? items.length - 1 : next;
  }
  const before = items.findLast((one) => one.n < n)?.n;
  return before === undefined ? 0 : items.findIndex((one) => one.n === before);
}
