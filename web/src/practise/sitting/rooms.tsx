// The room of each protocol: what a person in one of its seats sees and does.
import { lazy, type ComponentType } from "react";
import type { RoomProps } from "./roomProps.ts";

const ROOMS: Record<string, ComponentType<RoomProps>> = {
  "consultation/doctor": lazy(() => import("#/practise/consultation/ConsultationRoom.tsx")),
  scenario: lazy(() => import("#/practise/station/StationRoom.tsx")),
  ward_round: lazy(() => import("#/practise/round/RoundRoom.tsx")),
};
const Plain = lazy(() => import("#/practise/plain/PlainRoom.tsx"));

/** The room for a seat of a protocol, by "protocol/seat" or by the protocol alone; a plain one for any other. */
export function roomOf(protocol: string, seat: string): ComponentType<RoomProps> {
  return ROOMS[`${protocol}/${seat}`] ?? ROOMS[protocol] ?? Plain;
}
