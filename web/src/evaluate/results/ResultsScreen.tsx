// Studies, cards of the benchmark, rating sets and judged runs.
import "../evaluate.css";
import "./results.css";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { Crumbs } from "../Crumbs.tsx";
import type { JudgedRun, RatingSet, ResultLine, Results, StudyHere } from "../types.ts";
import { number, plain, when } from "../words.ts";
import { judgedPath, ratingPath, resultPath, studyPath, useJudged, useRatings, useResults, useStudiesHere } from "./queries.ts";

export default function ResultsScreen() {
  const results = useResults();
  return (
    <div className="stack wide-page">
      <Crumbs steps={[["Runs", "/evaluate"]]} />
      <h1>Studies, ratings and judges</h1>
      <Section heading="Studies and cards" query={results} empty={nothingIn(results.data)} of={(data) => data.items}>
        {(one: ResultLine) => (
          <Row
            key={one.id}
            to={resultPath(one.id)}
            name={one.title}
            about={one.about}
            note={`${when(one.written)} · ${one.id}`}
            badge={one.kind === "card" ? "Card" : "Study"}
          />
        )}
      </Section>
      <Unread results={results.data} />
      <Section heading="Studies played here" query={useStudiesHere()} empty="No run of this store belongs to a study." of={(data) => data}>
        {(one: StudyHere) => (
          <Row
            key={one.name}
            to={studyPath(one.name)}
            name={one.name}
            about={`${number(one.cells.length)} ${one.cells.length === 1 ? "condition" : "conditions"}, ${number(one.cells.filter((cell) => cell.status === "done").length)} done`}
          />
        )}
      </Section>
      <Section heading="Rating sets" query={useRatings()} empty={<>Nobody has rated a run of this store: <code>osler rate export</code> draws the episodes.</>} of={(data) => data}>
        {(one: RatingSet) => (
          <Row
            key={`${one.scale} ${one.batch} ${one.runs[0]}`}
            to={one.why ? "" : ratingPath(one.scale, one.runs)}
            name={`${plain(one.scale)}, ${one.runs.join(", ")}`}
            about={Object.entries(one.raters)
              .map(([rater, count]) => `${rater} ${number(count)}`)
              .join(", ")}
            note={one.why}
          />
        )}
      </Section>
      <Section heading="Judged by two or more" query={useJudged()} empty={<>No run has two judges: <code>osler judge run RUN --judge NAME</code> judges one again.</>} of={(data) => data}>
        {(one: JudgedRun) => (
          <Row
            key={one.run}
            to={judgedPath(one.run)}
            name={one.run}
            about={one.judges.map((judge) => `${judge.name} ${number(judge.episodes)}`).join(", ")}
            note={capital(plain(one.protocol))}
          />
        )}
      </Section>
    </div>
  );
}

function nothingIn(results: Results | undefined): string {
  return results?.folders === 0
    ? "The server shows no folder of results: osler serve --results FOLDER does. osler study run --out FILE.json and osler bench --out FOLDER write into it."
    : "Nothing is in the server’s folders yet: osler study run --out FILE.json and osler bench --out FOLDER write into them.";
}

function Section<D, T>({
  heading,
  query,
  empty,
  of,
  children,
}: {
  heading: string;
  query: UseQueryResult<D>;
  empty: ReactNode;
  of: (data: D) => T[];
  children: (one: T) => ReactNode;
}) {
  const { data, error, refetch } = query;
  const items = data === undefined ? [] : of(data);
  return (
    <section className="stack" aria-label={heading}>
      <h2>{heading}</h2>
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : items.length ? (
        <ul className="result-list">{items.map(children)}</ul>
      ) : (
        <p className="soft">{empty}</p>
      )}
    </section>
  );
}

function Row({ to, name, about, note, badge }: { to: string; name: string; about: string; note?: string; badge?: string }) {
  return (
    <li className={`card ${to ? "pressable" : ""}`}>
      <div className="row spread">
        {to ? (
          <Link href={to} className="over">
            {visible(name)}
          </Link>
        ) : (
          <b>{visible(name)}</b>
        )}
        {badge && <Badge>{badge}</Badge>}
      </div>
      <span>{visible(about)}</span>
      {note && <span className="soft small">{visible(note)}</span>}
    </li>
  );
}

function Unread({ results }: { results: Results | undefined }) {
  if (!results?.unread.length) return null;
  return (
    <details>
      <summary>{number(results.unread.length)} other files are not shown</summary>
      <ul className="stack">
        {results.unread.map((one) => (
          <li key={one.name}>
            <b>{visible(one.name)}</b>: {visible(one.why)}
          </li>
        ))}
      </ul>
    </details>
  );
}
