// What the screens ask the server for, each with the key it is kept under.
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { get } from "#/api/client.ts";
import { useTopic } from "#/api/stream.ts";
import { address, episodeApi, runApi } from "./address.ts";
import type {
  CaseWorlds,
  Compared,
  Desks,
  EpisodeDetail,
  EpisodePage,
  ExchangeDetail,
  ExchangeLine,
  Facets,
  FailureFacets,
  FoundPage,
  Log,
  MatrixPage,
  Pages,
  RunCosts,
  RunDetail,
  RunFigures,
  RunLine,
  RunSpending,
  RunsCompared,
  Side,
  StartForm,
} from "./types.ts";

type Query = Record<string, string | number | boolean>;

export function useRuns(filters: Query) {
  return useInfiniteQuery({
    queryKey: ["runs", filters],
    queryFn: ({ pageParam, signal }) =>
      get<Pages<RunLine>>(address("/api/runs", { ...filters, cursor: pageParam, limit: 50 }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useRun(run: string) {
  return useQuery({ queryKey: ["run", run], queryFn: ({ signal }) => get<RunDetail>(runApi(run), signal) });
}

export function useFacets(run: string) {
  return useQuery({
    queryKey: ["run", run, "facets"],
    queryFn: ({ signal }) => get<Facets>(`${runApi(run)}/facets`, signal),
  });
}

/** The failure tags of a run, with counts; of some thousand episodes they take some seconds. */
export function useFailures(run: string) {
  return useQuery({
    queryKey: ["run", run, "failures"],
    queryFn: ({ signal }) => get<FailureFacets>(`${runApi(run)}/failures`, signal),
    staleTime: 60_000,
  });
}

export function useFigures(run: string) {
  return useQuery({
    queryKey: ["run", run, "figures"],
    queryFn: ({ signal }) => get<RunFigures>(`${runApi(run)}/figures`, signal),
    staleTime: 15_000,
  });
}

export function useSpending(run: string) {
  return useQuery({
    queryKey: ["run", run, "spending"],
    queryFn: ({ signal }) => get<RunSpending>(`${runApi(run)}/spending`, signal),
  });
}

export const PAGE = 200;

export function useEpisodes(run: string, filters: Query) {
  return useInfiniteQuery({
    queryKey: ["run", run, "episodes", filters],
    queryFn: ({ pageParam, signal }) =>
      get<EpisodePage>(address(`${runApi(run)}/episodes`, { ...filters, cursor: pageParam, limit: PAGE }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Lines that hold the words asked for; asked for again while the server still reads episodes. */
export function useFound(asked: Record<string, string>) {
  return useInfiniteQuery({
    queryKey: ["found", asked],
    queryFn: ({ pageParam, signal }) => get<FoundPage>(address("/api/search", { ...asked, cursor: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    enabled: !!asked.q?.trim(),
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.reading ? 500 : false),
  });
}

export function useEpisode(run: string, n: number) {
  return useQuery({
    queryKey: ["episode", run, n],
    queryFn: ({ signal }) => get<EpisodeDetail>(episodeApi(run, n), signal),
  });
}

/** All exchanges of an episode, without their texts. */
export function useExchanges(run: string, n: number) {
  return useQuery({
    queryKey: ["episode", run, n, "exchanges"],
    queryFn: async ({ signal }) => {
      const found: ExchangeLine[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: Pages<ExchangeLine> = await get(
          address(`${episodeApi(run, n)}/exchanges`, { cursor, limit: PAGE }),
          signal,
        );
        found.push(...page.items);
        cursor = page.next;
      }
      return found;
    },
  });
}

export function useExchange(run: string, n: number, k: number | null) {
  return useQuery({
    queryKey: ["episode", run, n, "exchange", k],
    queryFn: ({ signal }) => get<ExchangeDetail>(`${episodeApi(run, n)}/exchanges/${k}`, signal),
    enabled: k !== null,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

export function useLog(run: string, n: number, view: string) {
  return useQuery({
    queryKey: ["episode", run, n, "log", view],
    queryFn: ({ signal }) => get<Log>(address(`${episodeApi(run, n)}/log`, { view }), signal),
  });
}

/** Two episodes side by side; asked for anew until both have ended. */
export function useCompared(a: string, b: string) {
  const query = useQuery({
    queryKey: ["compare", a, b],
    queryFn: ({ signal }) => get<Compared>(address("/api/compare", { a, b }), signal),
    enabled: !!a && !!b,
    refetchInterval: ({ state: { data } }) => (data && [data.a, data.b].some(isGoing) ? 3_000 : false),
    refetchIntervalInBackground: true, // so that the tab is up to date when one comes back to it
  });
  const { data } = query;
  const anew = useAnew(["compare", a, b]);
  useTopic(data && isGoing(data.a) ? `run:${data.a.run}` : null, anew);
  useTopic(data && isGoing(data.b) ? `run:${data.b.run}` : null, anew);
  return query;
}

function comparedRuns(path: string, names: string[], query: Query = {}, score: string[] = []): string {
  const search = new URLSearchParams([...names.map((name) => ["run", name]), ...score.map((name) => ["score", name])]);
  const rest = address("", query).slice(1);
  return `/api/compare-runs${path}?${[search.toString(), rest].filter(Boolean).join("&")}`;
}

/** Compared runs; asked for again only when somebody asks: of large runs it takes some seconds. */
export function useRunsCompared(names: string[], score: string[]) {
  return useQuery({
    queryKey: ["compare-runs", names, score],
    queryFn: ({ signal }) => get<RunsCompared>(comparedRuns("", names, {}, score), signal),
    enabled: names.length > 1,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

export function useRunCosts(names: string[]) {
  return useQuery({
    queryKey: ["compare-runs", names, "costs"],
    queryFn: ({ signal }) => get<RunCosts>(comparedRuns("/costs", names), signal),
    staleTime: 60_000,
  });
}

export function useMatrix(names: string[], filters: Query) {
  return useInfiniteQuery({
    queryKey: ["compare-runs", names, "cases", filters],
    queryFn: ({ pageParam, signal }) =>
      get<MatrixPage>(comparedRuns("/cases", names, { ...filters, cursor: pageParam, limit: PAGE }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useCaseWorlds(names: string[], hash: string) {
  return useQuery({
    queryKey: ["compare-runs", names, "case", hash],
    queryFn: ({ signal }) => get<CaseWorlds>(comparedRuns(`/cases/${encodeURIComponent(hash)}`, names), signal),
  });
}

/** The keys of the longitudinal studies here, the latest first. */
export function useStudies() {
  return useQuery({ queryKey: ["desks"], queryFn: ({ signal }) => get<string[]>("/api/desks", signal) });
}

export function useDesks(key: string) {
  return useQuery({
    queryKey: ["desks", key],
    queryFn: ({ signal }) => get<Desks>(`/api/desks/${encodeURIComponent(key)}`, signal),
    refetchInterval: ({ state: { data } }) => (data && data.desks.some(isUnfinished) ? 5_000 : false),
  });
}

const isUnfinished = (desk: Desks["desks"][number]) =>
  desk.stages.some((stage) => [...stage.taught, ...Object.values(stage.probes)].some((one) => one.done < one.planned));

export const isGoing = (side: Side) => side.status === "pending";

export function useStartForm(wanted = true) {
  return useQuery({
    queryKey: ["start"],
    queryFn: ({ signal }) => get<StartForm>("/api/start", signal),
    staleTime: 60_000,
    enabled: wanted,
  });
}

/** A function that asks anew. What is on its way is waited for and not asked for twice, so that news that come faster
 * than answers never keep a screen from its answer; what came meanwhile is asked for afterwards. */
function useAnew(queryKey: readonly unknown[]): () => void {
  const queries = useQueryClient();
  const state = useRef({ asking: false, owed: false });
  return () => {
    const now = state.current;
    now.owed = true;
    if (now.asking) return;
    now.asking = true;
    void (async () => {
      while (now.owed) {
        now.owed = false;
        await queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
      }
      now.asking = false;
    })();
  };
}

/** Asks anew for what is kept of a run whenever something of it was committed; at intervals without a stream, and while
 * the process that played it is `ending`: then nothing more is committed, and it has yet to say why. */
export function useRunFollowed(run: string, going: boolean, ending = false): void {
  const queries = useQueryClient();
  const open = useTopic(going ? `run:${run}` : null, useAnew(["run", run]));
  useQuery({
    queryKey: ["asked at intervals", run],
    queryFn: async () => {
      await queries.invalidateQueries({ queryKey: ["run", run] }, { cancelRefetch: false });
      return 0;
    },
    enabled: ending || (going && !open),
    refetchInterval: ending ? 1_000 : 3_000,
  });
}
