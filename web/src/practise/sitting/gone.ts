// Where a sitting leads back to, and one that is here no longer: deleted, or gone on with on another device.
import type { SittingState } from "#/api/types-of.ts";
import { Problem } from "#/api/client.ts";

export function isGone(error: unknown): boolean {
  return error instanceof Problem && (error.status === 404 || error.status === 410);
}

/** What has become of it, as a heading; empty for any other error, where trying again may help. */
export function goneWords(error: unknown): string {
  if (!isGone(error)) return "";
  return (error as Problem).status === 410 ? "This encounter was deleted" : "There is no such encounter here";
}

/** Where the cases are that a sitting was chosen from: its room's, or everybody's. */
export function casesOf(state: Pick<SittingState, "door"> | undefined): string {
  return state?.door ? `/join/${state.door}` : "/practise";
}
