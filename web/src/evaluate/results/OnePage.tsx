// The frame of one study, card, rating set or judged run: the way back, and the states of what is asked for.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Fault, Loading } from "#/design/States.tsx";
import { Crumbs } from "../Crumbs.tsx";

export function OnePage<D>({
  query: { data, error, refetch },
  waiting,
  children,
}: {
  query: UseQueryResult<D>;
  waiting: string;
  children: (data: D) => ReactNode;
}) {
  return (
    <div className="stack wide-page">
      <Crumbs
        steps={[
          ["Runs", "/evaluate"],
          ["Studies, ratings and judges", "/evaluate/results"],
        ]}
      />
      {error ? (
        <>
          <h1 className="unseen">Result</h1>
          <Fault error={error} again={() => void refetch()} />
        </>
      ) : data === undefined ? (
        <>
          <h1 className="unseen">Result</h1>
          <Loading>{waiting}</Loading>
        </>
      ) : (
        children(data)
      )}
    </div>
  );
}
