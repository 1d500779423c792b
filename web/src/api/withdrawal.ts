// What a visitor may see no longer leaves the page, and is not asked for again by itself.
import type { Query, QueryKey } from "@tanstack/react-query";
import { isRefusal, Withdrawal } from "./client.ts";

/** Drops what a query holds once the server refuses it, so that its screen shows the refusal instead. */
export function dropRefused(error: unknown, query: Query<unknown, unknown, unknown, QueryKey>): void {
  if (isRefusal(error) && query.state.dataUpdateCount > 0)
    query.setState({ data: undefined, error: new Withdrawal(error) });
}

/** An interval at which a query is asked again until the server refuses it. */
export function untilRefused(ms: number) {
  return ({ state }: { state: { error: unknown } }): number | false => (isRefusal(state.error) ? false : ms);
}
