// Rounds that several people share, as the server tells them: their addresses, and what screens ask again and again.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { get, inWords, post, put, remove } from "#/api/client.ts";
import { useTopic } from "#/api/stream.ts";
import { untilRefused } from "#/api/withdrawal.ts";
import type { components } from "#/api/types.ts";
import { toast } from "#/design/Toasts.tsx";

type Schemas = components["schemas"];
export type GroupPlan = Schemas["GroupPlan"];
export type Together = Schemas["Together"];
export type Groups = Schemas["Groups"];
export type GroupState = Schemas["GroupState"];
export type SeatOfGroup = Schemas["SeatOfGroup"];
export type Assessed = Schemas["Assessed"];
export type Questionnaire = Schemas["Questionnaire"];
export type AnswerTable = Schemas["AnswerTable"];
export type MeanAnswer = Schemas["MeanAnswer"];

const LOOK_MS = 2_500;

const address = (room: string, part: string) => `/api/rooms/${encodeURIComponent(room)}${part}`;
const key = (room: string) => ["room", room, "groups"];

/** What a learner is told of a room, by its code: whether a group shares its rounds, above all. */
export function useSharing(code: string) {
  return useQuery({
    queryKey: ["join", code],
    queryFn: () => get<Schemas["JoinPage"]>(`/api/join/${encodeURIComponent(code)}`),
    enabled: code !== "",
  });
}

/** The groups of a room one has joined. They are asked for at each change that the stream tells, and now and then. */
export function useGroups(room: string | null) {
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: key(room ?? ""),
    queryFn: () => get<Groups>(address(room!, "/groups")),
    enabled: room !== null,
    staleTime: 0,
    refetchInterval: untilRefused(LOOK_MS),
  });
  useTopic(room ? `room:${room}` : null, useCallback(() => void queries.invalidateQueries({ queryKey: key(room ?? "") }), [queries, room]));
  return found;
}

/** A learner takes a seat, or leaves it; the answer is the groups as they stand now. */
export function useSeatActs(room: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (act: SeatAct) => (act === "leave" ? remove<Groups>(address(room, "/seat")) : post<Groups>(address(room, "/seat"), act)),
    onSuccess: (groups) => queries.setQueryData(key(room), groups),
    onError: (error) => {
      toast(inWords(error));
      void queries.invalidateQueries({ queryKey: key(room) });
    },
  });
}

export type SeatAct = { group: number; seat: string } | "leave";

const sittingAddress = (sitting: string, part: string) => `/api/sittings/${encodeURIComponent(sitting)}${part}`;

/** Gives one's seat to a built-in player for the rest of the round. */
export const handBack = (sitting: string) => post<null>(sittingAddress(sitting, "/hand-back"));

/** The questionnaire after a round, for one who sat in it. */
export function useQuestionnaire(sitting: string, wanted = true) {
  return useQuery({
    queryKey: ["questionnaire", sitting],
    queryFn: () => get<Questionnaire>(sittingAddress(sitting, "/questions")),
    enabled: wanted,
    staleTime: 0,
  });
}

export function answer(sitting: string, marks: Record<string, number | null>, comment: string): Promise<Questionnaire> {
  return put<Questionnaire>(sittingAddress(sitting, "/questions"), { marks, comment });
}

/** The latest round of a group for one without a seat in it: what is open, or for an assessor everything. */
export function useFollowed(room: string | null, group: number, how: "follow" | "assess") {
  return useQuery({
    queryKey: ["room", room, "groups", group, how],
    queryFn: () => get<Assessed>(address(room!, `/groups/${group}/${how}`)),
    enabled: room !== null,
    refetchInterval: untilRefused(LOOK_MS),
  });
}
