// A log as lines of a conversation, by protocol: the same in the room and in the debrief.
import type { SittingState } from "#/api/types-of.ts";
import { talkItems } from "#/practise/consultation/log.ts";
import { plainLines } from "#/practise/plain/log.ts";
import { roundItems } from "#/practise/round/log.ts";
import { stationItems } from "#/practise/station/log.ts";
import type { TalkItem } from "#/practise/talk/items.ts";

export type LinesOf = (state: SittingState, readings: Record<string, string>) => TalkItem[];

const KNOWN: Record<string, LinesOf> = {
  "consultation/doctor": talkItems,
  "scenario/examinee": stationItems,
  ward_round: roundItems,
};

export function linesOf(state: SittingState, readings: Record<string, string>): TalkItem[] {
  const known = KNOWN[`${state.protocol}/${state.seat}`] ?? KNOWN[state.protocol] ?? plainLines;
  return known(state, readings);
}
