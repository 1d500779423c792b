// Rooms, as the server tells them, and the questions that several screens of teaching ask.
import { useQuery } from "@tanstack/react-query";
import { get } from "#/api/client.ts";
import { untilRefused } from "#/api/withdrawal.ts";
import type { components } from "#/api/types.ts";

export { inWords } from "#/api/client.ts";

type Schemas = components["schemas"];
export type Room = Schemas["Room"];
export type RoomLine = Schemas["RoomLine"];
export type RoomState = Schemas["RoomState"];
export type Learner = Schemas["Learner"];
export type SittingInRoom = Schemas["SittingInRoom"];
export type Mark = Schemas["Mark"];
export type Question = Schemas["Question"];
export type Results = Schemas["Results"];
export type Sheet = Schemas["Sheet"];
export type Shown = Schemas["ReadableEncounter"];
export type OwnSitting = Schemas["OwnSitting"];
export type Trial = Schemas["Trial"];
export type JoinPage = Schemas["JoinPage"];
export type StationClock = Schemas["StationClock"];
export type Sees = Room["sees"];

const LOOK_MS = 2_500;

export const address = (room: string, part = "") => `/api/rooms/${encodeURIComponent(room)}${part}`;

export function useRoom(room: string) {
  return useQuery({ queryKey: ["room", room], queryFn: () => get<Room>(address(room)) });
}

/** The room at this moment, looked at again and again while the screen is open. */
export function useRoomState(room: string) {
  return useQuery({
    queryKey: ["room", room, "state"],
    queryFn: () => get<RoomState>(address(room, "/state")),
    refetchInterval: untilRefused(LOOK_MS),
  });
}

/** An encounter, to be read by the teacher alone or shown to a class. */
export function useShown(room: string, how: "read" | "show", sitting: string) {
  return useQuery({
    queryKey: ["room", room, how, sitting],
    queryFn: () => get<Shown>(address(room, `/${how}/${encodeURIComponent(sitting)}`)),
    refetchInterval: untilRefused(LOOK_MS),
  });
}
