// The log of an episode in one view; while the episode is played, what is new is asked for after the last id.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { get, isRefusal } from "#/api/client.ts";
import { useTopic } from "#/api/stream.ts";
import { address, episodeApi } from "#/evaluate/address.ts";
import type { Log } from "#/evaluate/types.ts";

export function useGrowingLog(run: string, n: number, view: string) {
  const queries = useQueryClient();
  const key = ["episode", run, n, "log", view];
  const path = `${episodeApi(run, n)}/log`;
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const had = queries.getQueryData<Log>(key);
      const log = await get<Log>(address(path, { view, after: had?.last }), signal);
      return had ? { ...log, items: [...had.items, ...log.items] } : log;
    },
    structuralSharing: false,
    staleTime: Infinity,
  });
  const going = query.data ? !query.data.ended : false;
  const more = () => void queries.invalidateQueries({ queryKey: key, exact: true }, { cancelRefetch: false });
  const open = useTopic(going ? `episode:${run}:${n}:${view}` : null, more);
  useEffect(() => {
    if (!going) return;
    const timer = window.setInterval(more, open ? 5_000 : 1_500);
    return () => window.clearInterval(timer);
  });
  const isRefused = isRefusal(query.error);
  useEffect(() => {
    if (isRefused) void queries.invalidateQueries({ queryKey: ["episode", run, n], exact: true });
  }, [isRefused, queries, run, n]);
  return query;
}
