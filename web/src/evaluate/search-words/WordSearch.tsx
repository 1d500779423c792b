// Words and quoted phrases in what was said in all runs: each line with its passage, and the way to its exchange.
import "../evaluate.css";
import "./search-words.css";
import { Link } from "wouter";
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { exchangePath, useAddress } from "../address.ts";
import { Crumbs } from "../Crumbs.tsx";
import { Filters } from "../Filters.tsx";
import { useFound, useRuns } from "../queries.ts";
import { Search } from "../Search.tsx";
import type { FoundWords } from "../types.ts";
import { plain, playerFirst } from "../words.ts";

const OTHER_KINDS = ["result"];

export default function WordSearch() {
  const { get, set } = useAddress();
  const asked = { q: get("q"), run: get("run"), seat: get("seat"), protocol: get("protocol") };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useFound(asked);
  const hits = data?.pages.flatMap((page) => page.items) ?? [];
  const reading = data?.pages[0]?.reading ?? false;
  return (
    <div className="stack wide-page">
      <Crumbs steps={[["Runs", "/evaluate"]]} />
      <h1>Search what was said</h1>
      <p className="soft">
        All words must stand in one line; write a phrase in quotes. A word is found whole, whatever its case and accents, in
        episodes that have ended.
      </p>
      <Filters
        label="Search all runs"
        on={[asked.run, asked.seat, asked.protocol].filter(Boolean).length}
        search={<Search label="Words" value={asked.q} onChange={(q) => set({ q })} placeholder={'fever "night sweats"'} />}
      >
        <Narrowing />
      </Filters>
      <p role="status" className="soft">
        {reading ? "Reading episodes for the first time: more may come" : isFetching ? "Looking" : data && hits.length ? `${plural(hits.length, "line")}${hasNextPage ? ", and more" : ""}` : ""}
      </p>
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : !asked.q.trim() ? (
        <Empty icon="search" heading="Which words?" />
      ) : !data ? (
        <Loading>Looking for lines</Loading>
      ) : hits.length === 0 && !reading && !hasNextPage ? (
        <Empty icon="search" heading="No line holds these words">
          <p>Fewer words find more. A part of a word is not looked for.</p>
        </Empty>
      ) : (
        <ul className="hits" aria-label="Lines">
          {hits.map((hit) => (
            <Hit key={`${hit.run}:${hit.ordinal}:${hit.item}:${passage(hit)}`} hit={hit} />
          ))}
        </ul>
      )}
      {asked.q.trim() && hasNextPage && (
        <div className="row" style={{ justifyContent: "center" }}>
          <Button onPress={() => void fetchNextPage()} isDisabled={isFetching}>
            Show more lines
          </Button>
        </div>
      )}
    </div>
  );
}

/** The choices of a run, a seat and a protocol, from the newest runs and what the address holds. */
function Narrowing() {
  const { get, set } = useAddress();
  const runs = useRuns({}).data?.pages.flatMap((page) => page.items) ?? [];
  const named = (id: string, text: string) => playerFirst(runs.find((one) => one.name === id), text);
  const options = (name: string, values: string[], any: string) => [
    { id: "", text: any },
    ...[...new Set([...values, get(name)])].filter(Boolean).map((id) => ({ id, text: name === "run" ? id : capital(plain(id)) })),
  ];
  return (
    <>
      <Choose label="Run" value={get("run")} onChange={(run) => set({ run })} options={options("run", runs.map((one) => one.name), "All runs").map(({ id, text }) => ({ id, text: named(id, text) }))} />
      <Choose
        label="Seat"
        value={get("seat")}
        onChange={(seat) => set({ seat })}
        options={options("seat", [...runs.flatMap((one) => Object.keys(one.cast)), ...OTHER_KINDS], "Any")}
      />
      <Choose
        label="Protocol"
        value={get("protocol")}
        onChange={(protocol) => set({ protocol })}
        options={options("protocol", runs.map((one) => one.protocol).sort(), "Any")}
      />
    </>
  );
}

function Hit({ hit }: { hit: FoundWords }) {
  const marked = hit.passage.find((piece) => piece.marked)?.text ?? "";
  return (
    <li className="card pressable hit">
      <p className="row spread small">
        <Link href={exchangePath(hit.run, hit.ordinal, hit.exchange || 1, hit.item, marked)} className="over">
          {visible(hit.run)} · episode {hit.ordinal} · exchange {hit.exchange}
        </Link>
        <span className="soft">{visible(plain(hit.protocol))}</span>
      </p>
      <p className="passage">
        <b>{visible(capital(plain(hit.label)))}:</b>{" "}
        {hit.passage.map((piece, k) => (piece.marked ? <mark key={k}>{visible(piece.text)}</mark> : <span key={k}>{visible(piece.text)}</span>))}
      </p>
    </li>
  );
}

const passage = (hit: FoundWords) => hit.passage.map((piece) => piece.text).join("");
