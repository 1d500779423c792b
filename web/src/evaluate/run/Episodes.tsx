// The episodes of a run: filters, the sort and the score shown stand in the address; rows come as they are scrolled to.
import { useMemo } from "react";
import { useLocation } from "wouter";
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, plural } from "#/design/text.ts";
import { tracePath, useAddress } from "../address.ts";
import { useEpisodes, useFacets, useFailures } from "../queries.ts";
import { Filters } from "../Filters.tsx";
import { Search } from "../Search.tsx";
import type { Facets } from "../types.ts";
import { number, plain, value } from "../words.ts";
import { EpisodeTable, type Shown } from "./EpisodeTable.tsx";
import { Tray, useTray } from "./Tray.tsx";

const SORTS = [
  ["ordinal", "Number"],
  ["score", "Score"],
  ["case", "Case"],
  ["status", "Ending"],
  ["minutes", "Simulated time"],
  ["turns", "Turns"],
  ["tests", "Tests"],
  ["cost", "Tariff points"],
  ["exchanges", "Exchanges"],
] as const;

export function Episodes({ run }: { run: string }) {
  const { get, set } = useAddress();
  const facets = useFacets(run).data;
  const failures = useFailures(run).data;
  const filters = {
    q: get("q"),
    status: get("status"),
    case: get("case"),
    grader: get("grader"),
    below: get("below"),
    above: get("above"),
    failure: get("failure"),
    sort: get("sort") || "ordinal",
    descending: get("down") === "1",
  };
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetching } = useEpisodes(run, filters);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const tray = useTray();
  const first = data?.pages[0];
  const filtered = ["q", "status", "case", "below", "above", "failure"].some((name) => get(name));
  const clear = () => set({ q: "", status: "", case: "", below: "", above: "", failure: "" });
  return (
    <div className="stack panel">
      <Filters
        label="Filter the episodes"
        on={["status", "case", "above", "grader", "sort", "failure"].filter((name) => get(name)).length}
        search={<Search label="Find" value={filters.q} onChange={(q) => set({ q })} placeholder="Case, key or ending" />}
      >
        <Choose
          label="Ending"
          value={filters.status}
          onChange={(status) => set({ status })}
          options={[
            { id: "", text: "Any" },
            ...(facets?.statuses ?? []).map((one) => ({ id: one.value, text: `${plain(one.value)} (${number(one.count)})` })),
          ]}
        />
        {failures && (failures.tags.length > 0 || filters.failure) && (
          <Choose
            label={`What went wrong (${number(failures.scored)} scored)`}
            value={filters.failure}
            onChange={(failure) => set({ failure })}
            options={[
              { id: "", text: "Anything or nothing" },
              ...failures.tags.map((one) => ({ id: one.name, text: `${capital(one.words)} (${number(one.count)})` })),
            ]}
          />
        )}
        <Choose
          label="Case"
          value={filters.case}
          onChange={(id) => set({ case: id })}
          options={[
            { id: "", text: "Any" },
            ...(facets?.cases ?? []).map((one) => ({ id: one.value, text: `${one.value} (${number(one.count)})` })),
          ]}
        />
        <Choose
          label="Score shown"
          value={filters.grader}
          onChange={(grader) => set({ grader, below: "", above: "" })}
          options={[
            { id: "", text: "The headline" },
            ...(facets?.scores ?? []).map((one) => ({
              id: `${one.grader}:${one.name}`,
              text: `${one.words} (${one.grader})`,
            })),
          ]}
        />
        <Bands facets={facets} grader={filters.grader} />
        <Choose
          label="Sort by"
          value={filters.sort as string}
          onChange={(sort) => set({ sort: sort === "ordinal" ? "" : sort })}
          options={SORTS.map(([id, text]) => ({ id, text }))}
        />
        <Choose
          label="Order"
          value={filters.descending ? "1" : ""}
          onChange={(down) => set({ down })}
          options={[
            { id: "", text: "Low to high" },
            { id: "1", text: "High to low" },
          ]}
        />
      </Filters>
      <div className="row spread">
        <p role="status" className="soft">
          {first ? `${plural(first.total ?? rows.length, "episode")}${!filtered ? "" : first.total === 1 ? " fits" : " fit"}` : ""}
          {first && first.going.length > 0 && `, ${number(first.going.length)} being played`}
          {isFetching && " · looking"}
        </p>
        <div className="row">
          {filtered && <Button onPress={clear}>Clear the filters</Button>}
          <GoTo run={run} />
        </div>
      </div>
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : !data ? (
        <Loading>Looking for episodes</Loading>
      ) : rows.length + first!.going.length === 0 ? (
        <Empty icon="search" heading={filtered ? "No episode fits" : "No episode has begun yet"}>
          {filtered ? <Button onPress={clear}>Clear the filters</Button> : <p>They stand here as soon as they are recorded.</p>}
        </Empty>
      ) : (
        <EpisodeTable
          run={run}
          going={first!.going}
          rows={rows}
          total={first!.total ?? rows.length}
          scored={first!.scored}
          score={facets?.scores.find((one) => `${one.grader}:${one.name}` === (filters.grader || first!.scored)) ?? UNKNOWN}
          tray={tray}
          more={hasNextPage ? () => void fetchNextPage({ cancelRefetch: false }) : null}
        />
      )}
      <Tray tray={tray} />
    </div>
  );
}

const UNKNOWN: Shown = { words: "Score", kind: "count" };

/** A choice of a band of the score shown. */
function Bands({ facets, grader }: { facets: Facets | undefined; grader: string }) {
  const { get, set } = useAddress();
  const found = facets?.scores.find((one) => `${one.grader}:${one.name}` === grader) ?? (grader ? undefined : facets?.scores[0]);
  if (!found || found.bands.length < 2) return null;
  const name = (low: number, high: number) => `${value(found.kind, low)} to ${value(found.kind, high)}`;
  const last = found.bands.length - 1;
  return (
    <Choose
      label="Score between"
      value={get("above") || get("below") ? `${get("above")}|${get("below")}` : ""}
      onChange={(chosen) => {
        const [above = "", below = ""] = chosen.split("|");
        set({ above, below, grader: chosen ? `${found.grader}:${found.name}` : grader });
      }}
      options={[
        { id: "", text: "Any" },
        ...found.bands.map((band, k) => ({
          id: `${band.low}|${k === last ? "" : band.high}`,
          text: `${name(band.low, band.high)} (${number(band.count)})`,
        })),
      ]}
    />
  );
}

/** Opens an episode by its number. */
function GoTo({ run }: { run: string }) {
  const [, go] = useLocation();
  return (
    <form
      className="row go-to"
      onSubmit={(event) => {
        event.preventDefault();
        const n = new FormData(event.currentTarget).get("n");
        if (n !== "" && n !== null) go(tracePath(run, Number(n)));
      }}
    >
      <label className="row">
        <span className="small">Go to number</span>
        <input className="input" name="n" type="number" min={0} step={1} inputMode="numeric" />
      </label>
      <Button type="submit">Open</Button>
    </form>
  );
}
