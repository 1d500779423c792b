// The choice of runs to compare, among those of one protocol.
import { useState } from "react";
import { Button } from "#/design/Button.tsx";
import { Tick } from "#/design/Fields.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import { useRun, useRuns } from "../queries.ts";
import { Search } from "../Search.tsx";
import { otherSeats, plain, when } from "../words.ts";
import { FEWEST_RUNS, MOST_RUNS } from "./letters.tsx";

export function RunPicker({ chosen, onChosen }: { chosen: string[]; onChosen: (names: string[]) => void }) {
  const [names, setNames] = useState(chosen);
  const [q, setQ] = useState("");
  const first = useRun(names[0] ?? "").data?.run;
  const protocol = names.length && first ? first.protocol : "";
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRuns({ q, protocol });
  const runs = data?.pages.flatMap((page) => page.items) ?? [];
  const elsewhere = names.filter((name) => !runs.some((run) => run.name === name));
  const toggle = (name: string) => setNames(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  return (
    <form
      className="card stack"
      aria-label="Runs to compare"
      onSubmit={(event) => {
        event.preventDefault();
        onChosen(names);
      }}
    >
      <p className="soft">
        Choose {FEWEST_RUNS} to {MOST_RUNS} runs of one protocol; the first is the baseline that fixes the cases.
      </p>
      <Search label="Find a run" value={q} onChange={setQ} placeholder="Name or player" />
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : !data ? (
        <Loading>Looking for runs</Loading>
      ) : runs.length + elsewhere.length === 0 ? (
        <Empty icon="search" heading="No run fits" />
      ) : (
        <ul className="picker">
          {elsewhere.map((name) => (
            <li key={name}>
              <Tick checked onChange={() => toggle(name)}>
                {visible(name)}
              </Tick>
            </li>
          ))}
          {runs.map((run) => (
            <li key={run.name}>
              <Tick checked={names.includes(run.name)} onChange={() => toggle(run.name)}>
                <b>{visible(run.name)}</b>{" "}
                <span className="soft small">
                  {[visible(run.player), otherSeats(run), visible(plain(run.protocol)), when(run.created)].filter(Boolean).join(" · ")}
                </span>
              </Tick>
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <Button type="submit" look="main" isDisabled={names.length < FEWEST_RUNS || names.length > MOST_RUNS}>
          {names.length < FEWEST_RUNS ? "Compare" : `Compare ${names.length} runs`}
        </Button>
        {hasNextPage && (
          <Button onPress={() => void fetchNextPage()} isDisabled={isFetchingNextPage}>
            Show older runs
          </Button>
        )}
      </div>
    </form>
  );
}
