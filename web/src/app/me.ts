// What the visitor may do here.
import { useQuery } from "@tanstack/react-query";
import { get } from "#/api/client.ts";
import type { Schemas } from "#/api/types-of.ts";

export type Me = Schemas["Me"];
export const ME = ["me"];

const MAY: Record<Me["rights"][number], string> = {
  learn: "practise",
  teach: "teach",
  watch: "watch recorded encounters",
  run: "start runs",
};

export function useMe() {
  return useQuery({ queryKey: ME, queryFn: ({ signal }) => get<Me>("/api/me", signal), staleTime: 60_000 });
}

/** What somebody with these rights may do, each in words, in the order of the doors. */
export function mayDo(rights: Me["rights"]): string[] {
  return (Object.keys(MAY) as (keyof typeof MAY)[]).filter((right) => rights.includes(right)).map((right) => MAY[right]);
}
