// Case by case: who was right where. Only the rows in sight are held, and pages come as they are scrolled to.
import { useMemo, useState } from "react";
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { useAddress } from "../address.ts";
import { Filters } from "../Filters.tsx";
import { useMatrix } from "../queries.ts";
import { Search } from "../Search.tsx";
import type { MatrixPage, MatrixRow, RunsCompared } from "../types.ts";
import { number, plain } from "../words.ts";
import { CaseDialog } from "./CaseDialog.tsx";
import { CASES, letter } from "./letters.tsx";
import { MatrixTable } from "./MatrixTable.tsx";

type Show = MatrixPage["shows"][number]["show"];

const SHOWS: Record<Show, string> = {
  all: "All cases",
  differ: "Runs differ",
  worse: "Some run worse than the baseline",
  better: "Some run better than the baseline",
  worlds: "A run differs between worlds",
  unscored: "Some run unscored",
  missing: "Not played by every run",
};

const SORTS = [
  ["", "Case"],
  ["worse", "Worse than the baseline first"],
  ["better", "Better than the baseline first"],
  ["points", "Most tariff points first"],
] as const;

const NAMES = ["q", "show", "pair", "specialty", "ending", "points", "sort"];

export function Matrix({ names, data }: { names: string[]; data: RunsCompared }) {
  const { get, set } = useAddress();
  const [better = "", worse = ""] = get("pair").split("-");
  const [least = "", most = ""] = get("points").split("|");
  const filters = {
    q: get("q"),
    show: get("show"),
    better,
    worse,
    specialty: get("specialty"),
    ending: get("ending"),
    least,
    most,
    sort: get("sort"),
  };
  const { data: pages, error, refetch, fetchNextPage, hasNextPage, isFetching } = useMatrix(names, filters);
  const rows = useMemo(() => pages?.pages.flatMap((page) => page.items) ?? [], [pages]);
  const [open, setOpen] = useState<MatrixRow | null>(null);
  const first = pages?.pages[0];
  const filtered = NAMES.some((name) => name !== "sort" && get(name));
  const clear = () => set(Object.fromEntries(NAMES.map((name) => [name, ""])));
  return (
    <section className="stack" aria-label="Case by case" id={CASES} tabIndex={-1}>
      <h2>Case by case{first ? `: ${visible(first.score)}` : ""}</h2>
      <Filters
        label="Filter the cases"
        on={NAMES.filter((name) => name !== "q" && get(name)).length}
        search={<Search label="Find a case" value={filters.q} onChange={(q) => set({ q })} />}
      >
        <MatrixFilters first={first} data={data} />
      </Filters>
      <div className="row spread">
        <p role="status" className="soft">
          {first ? `${plural(first.total ?? rows.length, "case")}${!filtered ? "" : first.total === 1 ? " fits" : " fit"}` : ""}
          {isFetching && " · looking"}
        </p>
        {filtered && <Button onPress={clear}>Clear the filters</Button>}
      </div>
      {first && (
        <p className="soft small">
          {first.right_or_wrong && "Unsupported (✓?) is right, but without every key finding that the diagnosis rests on. "}▲ and ▼ count the
          worlds in which a run did better or worse than the baseline.
        </p>
      )}
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : !first ? (
        <Loading>Laying the cases side by side</Loading>
      ) : rows.length === 0 ? (
        <Empty icon="search" heading="No case fits">{filtered && <Button onPress={clear}>Clear the filters</Button>}</Empty>
      ) : (
        <MatrixTable
          runs={data.runs}
          rows={rows}
          total={first.total ?? rows.length}
          kind={first.kind}
          onOpen={setOpen}
          more={hasNextPage ? () => void fetchNextPage({ cancelRefetch: false }) : null}
        />
      )}
      {open && first && <CaseDialog row={open} names={names} kind={first.kind} onClose={() => setOpen(null)} />}
    </section>
  );
}

function MatrixFilters({ first, data }: { first: MatrixPage | undefined; data: RunsCompared }) {
  const { get, set } = useAddress();
  const any = { id: "", text: "Any" };
  const said = first?.right_or_wrong === false ? (a: string, b: string) => `${a} better than ${b}` : (a: string, b: string) => `${a} right and ${b} wrong`;
  const ordered = data.pairs
    .filter((pair) => pair.refused.length === 0)
    .flatMap(({ first, second }) => [
      [first, second],
      [second, first],
    ])
    .sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
  return (
    <>
      <Choose
        label="Show"
        value={get("show")}
        onChange={(show) => set({ show: show === "all" ? "" : show })}
        options={(Object.keys(SHOWS) as Show[]).map((show) => {
          const count = first?.shows.find((one) => one.show === show)?.count;
          return { id: show === "all" ? "" : show, text: `${SHOWS[show]}${count === undefined ? "" : ` (${number(count)})`}` };
        })}
      />
      <Choose
        label={first?.right_or_wrong === false ? "Who is better" : "Who is right"}
        value={get("pair")}
        onChange={(pair) => set({ pair })}
        options={[any, ...ordered.map(([a = 0, b = 0]) => ({ id: `${a}-${b}`, text: said(letter(a), letter(b)) }))]}
      />
      <Choose
        label="Specialty"
        value={get("specialty")}
        onChange={(specialty) => set({ specialty })}
        options={[any, ...(first?.specialties ?? []).map((one) => ({ id: one.value, text: `${visible(one.value)} (${number(one.count)})` }))]}
      />
      <Choose
        label="Ending of some episode"
        value={get("ending")}
        onChange={(ending) => set({ ending })}
        options={[any, ...(first?.endings ?? []).map((one) => ({ id: one.value, text: `${visible(plain(one.value))} (${number(one.count)})` }))]}
      />
      {(first?.bands.length ?? 0) > 0 && (
        <Choose
          label="Tariff points, mean"
          value={get("points")}
          onChange={(points) => set({ points })}
          options={[any, ...first!.bands.map(({ low, high }) => ({ id: `${low}|${high}`, text: `${number(low)} to ${number(high)}` }))]}
        />
      )}
      <Choose label="Sort by" value={get("sort")} onChange={(sort) => set({ sort })} options={SORTS.map(([id, text]) => ({ id: id as string, text: capital(text) }))} />
    </>
  );
}
