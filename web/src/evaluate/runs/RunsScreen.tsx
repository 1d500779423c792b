// All runs, newest first, with their progress as it happens.
import "../evaluate.css";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { useTopic } from "#/api/stream.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { runPath, searchPath, useAddress } from "../address.ts";
import { useRuns, useStudies } from "../queries.ts";
import { Filters } from "../Filters.tsx";
import { Search } from "../Search.tsx";
import type { TrayState } from "../run/Tray.tsx";
import { Progress } from "./Progress.tsx";
import { RunTray, useRunTray } from "./RunTray.tsx";
import type { RunLine } from "../types.ts";
import { KINDS, RUN_STATES, otherSeats, plain, when } from "../words.ts";
import { ExampleList } from "#/tour/ExampleList.tsx";

export default function RunsScreen() {
  const { get, set } = useAddress();
  const filters = { q: get("q"), status: get("status"), kind: get("kind"), protocol: get("protocol") };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRuns(filters);
  const all = useRuns({}).data?.pages.flatMap((page) => page.items) ?? [];
  const protocols = [...new Set([...all.map((run) => run.protocol), filters.protocol].filter(Boolean))].sort();
  const runs = data?.pages.flatMap((page) => page.items) ?? [];
  const studies = useStudies().data ?? [];
  const filtered = Object.values(filters).some(Boolean);
  const tray = useRunTray();
  return (
    <div className="stack wide-page">
      <div className="row spread">
        <h1>Evaluate</h1>
        <div className="row">
          <LinkButton href="/evaluate/compare-runs">Compare runs</LinkButton>
          <LinkButton href={searchPath()}>
            <Icon name="search" /> Search what was said
          </LinkButton>
          <LinkButton href="/evaluate/results">Studies, ratings, judges</LinkButton>
          <LinkButton href="/evaluate/compare">Compare two episodes</LinkButton>
          <LinkButton href="/evaluate/start" look="main">
            <Icon name="plus" /> Start a run
          </LinkButton>
        </div>
      </div>
      <p className="soft">A run plays a set of cases with one cast of players, and keeps every exchange. Tick two or more runs to compare them.</p>
      {studies.length > 0 && (filters.kind === "" || filters.kind === "study") && (
        <p>
          Longitudinal studies, each stream at its desk:{" "}
          {studies.slice(0, filters.kind ? undefined : 3).map((key, k) => (
            <span key={key}>
              {k > 0 && ", "}
              <Link href={`/evaluate/desks/${encodeURIComponent(key)}`}>{visible(key)}</Link>
            </span>
          ))}
        </p>
      )}
      <Filters
        label="Filter the runs"
        on={[filters.status, filters.protocol, filters.kind].filter(Boolean).length}
        search={<Search label="Find a run" value={filters.q} onChange={(q) => set({ q })} placeholder="Name or player" />}
      >
        <Choose
          label="Status"
          value={filters.status}
          onChange={(status) => set({ status })}
          options={[{ id: "", text: "Any" }, ...Object.entries(RUN_STATES).map(([id, { text }]) => ({ id, text }))]}
        />
        <Choose
          label="Protocol"
          value={filters.protocol}
          onChange={(protocol) => set({ protocol })}
          options={[{ id: "", text: "Any" }, ...protocols.map((name) => ({ id: name, text: capital(plain(name)) }))]}
        />
        <Choose
          label="Kind"
          value={filters.kind}
          onChange={(kind) => set({ kind })}
          options={[
            { id: "", text: "All but practice" },
            ...Object.entries(KINDS).map(([id, text]) => ({ id, text })),
          ]}
        />
      </Filters>
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : !data ? (
        <Loading>Looking for runs</Loading>
      ) : runs.length ? (
        <>
          <ul className="run-list" aria-label="Runs">
            {runs.map((run) => (
              <RunRow key={run.name} run={run} tray={tray} />
            ))}
          </ul>
          {hasNextPage && (
            <div className="row" style={{ justifyContent: "center" }}>
              <Button onPress={() => void fetchNextPage()} isDisabled={isFetchingNextPage}>
                Show older runs
              </Button>
            </div>
          )}
        </>
      ) : filtered ? (
        <Empty icon="search" heading="No run fits">
          <p>Nothing here matches all of these filters.</p>
          <Button onPress={() => set({ q: "", status: "", kind: "", protocol: "" })}>Clear the filters</Button>
        </Empty>
      ) : (
        <Empty icon="chart" heading="No runs yet">
          <p>Start one here. With the built-in players it costs nothing and takes a few seconds.</p>
          <LinkButton href="/evaluate/start" look="main">
            Start a run
          </LinkButton>
        </Empty>
      )}
      {!filtered && <ExampleList />}
      <RunTray tray={tray} />
    </div>
  );
}

function RunRow({ run, tray }: { run: RunLine; tray: TrayState }) {
  const queries = useQueryClient();
  useTopic(run.status === "running" ? `run:${run.name}` : null, () => {
    void queries.invalidateQueries({ queryKey: ["runs"] });
  });
  const state = RUN_STATES[run.status];
  return (
    <li className="card pressable run-row">
      <div className="run-name">
        <Link href={runPath(run.name)} className="over">
          {visible(run.name)}
        </Link>
        <span className="soft small">
          {visible(plain(run.protocol))} · {when(run.created)}
          {run.kind !== "ordinary" && ` · ${KINDS[run.kind]}`}
          {run.branch_of && ` of ${visible(run.branch_of)}`}
        </span>
      </div>
      <div className="run-cast">
        <b>{visible(run.player || "no player named")}</b>
        <span className="soft small">{otherSeats(run)}</span>
      </div>
      <span className="soft small run-cases">{visible(run.cases)}</span>
      <Progress done={run.done} planned={run.planned} />
      <Badge look={state.look}>{state.text}</Badge>
      <label className="run-choice">
        <input
          type="checkbox"
          aria-label={`Choose ${visible(run.name)} to compare`}
          checked={tray.has(run.name)}
          onChange={() => tray.toggle(run.name)}
        />
        <span className="soft small">Compare</span>
      </label>
    </li>
  );
}
