// The group that shares a sitting's round, where there is one.
import type { SittingState } from "#/api/types-of.ts";
import { useGroups, useSharing, type GroupState } from "./api.ts";

/** One's own group, while one sits in it; `null` where each has an encounter of their own. */
export function useGroup(state: Pick<SittingState, "room" | "door" | "protocol">): GroupState | null {
  const shared = useSharing(state.protocol === "ward_round" ? (state.door ?? "") : "").data?.together;
  const groups = useGroups(shared ? state.room : null).data;
  return groups?.groups.find((one) => one.number === groups.mine) ?? null;
}
