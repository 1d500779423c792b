// What the screen of a floor asks the server for. All is kept under the run, and so asked for anew while it is played.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { components } from "#/api/types.ts";
import { get } from "#/api/client.ts";
import { address, runApi } from "#/evaluate/address.ts";
import type { Pages } from "#/evaluate/types.ts";

type Schemas = components["schemas"];
export type Floor = Schemas["Floor"];
export type OnFloor = Schemas["OnFloor"];
export type FloorPlayed = Schemas["FloorPlayed"];
export type FloorEpisode = Schemas["FloorEpisode"];

/** The floors of a run from below, page by page. */
export function useFloors(run: string) {
  return useInfiniteQuery({
    queryKey: ["run", run, "floors"],
    queryFn: ({ pageParam, signal }) => get<Pages<Floor>>(address(`${runApi(run)}/floors`, { cursor: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
  });
}

/** One floor as a view has it. Once all of it has ended nothing of it changes, and it is not asked for again. */
export function useFloor(run: string, floor: number, view: string) {
  return useQuery({
    queryKey: ["run", run, "floor", floor, view],
    queryFn: ({ signal }) => get<FloorPlayed>(address(`${runApi(run)}/floors/${floor}`, { view }), signal),
    enabled: ({ state: { data } }) => !data?.episodes.every(({ ended }) => ended),
  });
}
