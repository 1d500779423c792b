// The recorded examples that come with Osler.
import { useQuery } from "@tanstack/react-query";
import { get, isRefusal } from "#/api/client.ts";
import type { Schemas } from "#/api/types-of.ts";

export type Example = Schemas["Example"];
const AGAIN_MS = 2000;

/** The examples; asked for again until all of them have been played. */
export function useExamples(wanted = true) {
  return useQuery({
    queryKey: ["examples"],
    queryFn: () => get<Schemas["Examples"]>("/api/examples"),
    refetchInterval: ({ state }) => (isRefusal(state.error) || state.data?.examples.every((one) => one.ready) ? false : AGAIN_MS),
    retry: false,
    enabled: wanted,
  });
}
