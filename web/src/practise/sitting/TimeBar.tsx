// The station clock above a consultation; stations and ward rounds show it in their own bars.
import { useCallback } from "react";
import type { SittingState } from "#/api/types-of.ts";
import { stands, useTime } from "#/practise/station/clock.ts";
import { Bell, StationClock } from "#/practise/station/StationClock.tsx";

export function TimeBar({ state, reload }: { state: SittingState; reload: () => void }) {
  const time = useTime(state.clock, stands(state), useCallback(() => reload(), [reload]));
  if (!time || state.status === "ended") return null;
  return (
    <div className="row spread time-bar">
      <StationClock time={time} />
      <Bell time={time} />
    </div>
  );
}
