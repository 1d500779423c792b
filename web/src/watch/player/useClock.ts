// A clock for a component: made once, told when the choreography has grown, and read whenever something has changed.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Clock, type Place, type Score } from "#/hospital/clock.ts";
import type { At } from "./instant.ts";

export function useClock(score: Score, begin: () => At): { clock: Clock; place: Place } {
  const [clock] = useState(() => {
    const { t, scene } = begin();
    return new Clock(score, t, score.scene(scene)?.t0 === t ? scene : null);
  });
  const known = useRef(score);
  useEffect(() => {
    if (known.current === score) return;
    known.current = score;
    clock.grow(score);
  }, [clock, score]);
  useEffect(() => () => clock.stop(), [clock]);
  return { clock, place: useSyncExternalStore(clock.subscribe, clock.snapshot) };
}
