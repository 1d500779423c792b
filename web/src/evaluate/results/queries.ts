// What the screens of studies, cards, ratings and judges ask the server for.
import { useQuery } from "@tanstack/react-query";
import { get } from "#/api/client.ts";
import type { JudgedPage, JudgedRun, RatingPage, RatingSet, ResultPage, Results, StudyHere } from "../types.ts";

const part = encodeURIComponent;
const EVERY_MS = 10_000;

export const resultPath = (name: string) => `/evaluate/results/${part(name)}`;
export const studyPath = (name: string) => `/evaluate/studies/${part(name)}`;
export const judgedPath = (run: string) => `/evaluate/judged/${part(run)}`;
const runs = (names: string[]) => new URLSearchParams(names.map((name) => ["run", name])).toString();
export const ratingPath = (scale: string, names: string[]) => `/evaluate/ratings/${part(scale)}?${runs(names)}`;
export const cardPage = (name: string) => `/api/results/${part(name)}/card.html`;

export function useResults() {
  return useQuery({ queryKey: ["results"], queryFn: ({ signal }) => get<Results>("/api/results", signal) });
}

export function useResult(name: string) {
  return useQuery({ queryKey: ["results", name], queryFn: ({ signal }) => get<ResultPage>(`/api/results/${part(name)}`, signal) });
}

/** The studies of the store, asked for anew while one is played. */
export function useStudiesHere() {
  return useQuery({
    queryKey: ["studies"],
    queryFn: ({ signal }) => get<StudyHere[]>("/api/studies", signal),
    refetchInterval: ({ state: { data } }) =>
      data?.some((study) => study.cells.some((cell) => cell.status === "running")) ? EVERY_MS : false,
  });
}

export function useRatings() {
  return useQuery({ queryKey: ["ratings"], queryFn: ({ signal }) => get<RatingSet[]>("/api/ratings", signal) });
}

export function useRating(scale: string, names: string[]) {
  return useQuery({
    queryKey: ["ratings", scale, names],
    queryFn: ({ signal }) => get<RatingPage>(`/api/ratings/${part(scale)}?${runs(names)}`, signal),
  });
}

export function useJudged() {
  return useQuery({ queryKey: ["judged"], queryFn: ({ signal }) => get<JudgedRun[]>("/api/judged", signal) });
}

export function useJudgedRun(run: string) {
  return useQuery({ queryKey: ["judged", run], queryFn: ({ signal }) => get<JudgedPage>(`/api/judged/${part(run)}`, signal) });
}
