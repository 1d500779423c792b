// The choreography of a view and the plan it is played on. It is asked for again when the log has grown: what was directed
// before never changes.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "#/api/client.ts";
import { address, episodeApi } from "#/evaluate/address.ts";
import type { HospitalPlan } from "#/hospital/art/contract.ts";
import type { Choreography } from "#/hospital/types.ts";

export function usePlan() {
  return useQuery({ queryKey: ["plan"], queryFn: ({ signal }) => get<HospitalPlan>("/api/plan", signal), staleTime: Infinity });
}

/** `last`: the id of the newest item of the log, undefined while none has come. */
export function useChoreography(run: string, n: number, view: string, last: string | undefined) {
  const query = useQuery({
    queryKey: ["episode", run, n, "choreography", view, last],
    queryFn: ({ signal }) => get<Choreography>(address(`${episodeApi(run, n)}/choreography`, { view }), signal),
    enabled: last !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  // A choreography of other eyes is nothing to go on with.
  return { ...query, data: query.data?.view === view ? query.data : undefined };
}
