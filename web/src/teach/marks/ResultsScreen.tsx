// The results of a room: a table to read, to print, and to take away.
import "../teach.css";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { get } from "#/api/client.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { address, type Mark, type Results } from "../api.ts";
import { figure, markedBy, number, STATUS } from "../words.ts";

export default function ResultsScreen() {
  const { room = "" } = useParams();
  const results = useQuery({
    queryKey: ["room", room, "results"],
    queryFn: () => get<Results>(address(room, "/results")),
    staleTime: 0,
  });
  return (
    <div className="teach">
      <div className="row spread">
        <h1>Results{results.data ? `: ${visible(results.data.name)}` : ""}</h1>
        <div className="row no-print">
          <Button onPress={() => window.print()}>Print</Button>
          <a className="button plain" href={address(room, "/results.csv")} download>
            Download the table (CSV)
          </a>
          <LinkButton look="quiet" href={`/teach/rooms/${room}`}>
            <Icon name="back" /> The board
          </LinkButton>
        </div>
      </div>
      {results.isPending && <Loading />}
      {results.isError && <Fault error={results.error} again={() => void results.refetch()} />}
      {results.data && <Shown results={results.data} />}
    </div>
  );
}

function Shown({ results }: { results: Results }) {
  if (!results.rows.length && !results.hidden)
    return <Empty icon="chart" heading="Nobody has played yet" />;
  const { clock, hidden } = results;
  const all = results.rows.flatMap((row) => [...row.marks, ...row.second]);
  return (
    <>
      <p className="soft">
        These marks are for learning, not for grading. {visible(results.note)}
      </p>
      <p className="soft no-print">
        The download holds this table and nobody&apos;s words: the names that learners chose, cases, turns, marks and who
        marked.{" "}
        {hidden
          ? `Left out, here too: ${plural(hidden, "sitting")} of learners who keep their results to themselves.`
          : "Nobody is left out."}
      </p>
      {hidden > 0 && <p className="only-print">Not shown: {plural(hidden, "sitting")} of learners who keep their results to themselves.</p>}
      {clock && (
        <p className="soft">
          Station clock: {clock.reading_s} s to read, {plural(clock.minutes, "minute")}.
        </p>
      )}
      <div className="table-box by-card" tabIndex={0} role="region" aria-label="Results by learner">
        <table>
          <thead>
            <tr>
              <th scope="col">Learner</th>
              {clock && <th scope="col">Extra time</th>}
              <th scope="col">Case</th>
              <th scope="col">Status</th>
              <th scope="col">Turns</th>
              <th scope="col">Marks</th>
            </tr>
          </thead>
          <tbody>
            {results.rows.map((row) => (
              <tr key={row.sitting}>
                <th scope="row">{visible(row.pseudonym)}</th>
                {clock && <td data-head="Extra time">{row.extra ? `${row.extra} %` : "none"}</td>}
                <td className="case" data-head="Case">
                  {visible(row.title)}
                  <br />
                  <span className="soft small">{visible(row.real)}</span>
                </td>
                <td data-head="Status">
                  {STATUS[row.status].text}
                  {row.substitutes && <span className="soft small"> (in the end, {visible(row.substitutes)})</span>}
                </td>
                <td data-head="Turns">{row.turns}</td>
                <td data-head="Marks">
                  <ul>
                    {[...row.marks, ...row.second].map((mark) => (
                      <OneMark key={`${mark.by} ${mark.name}`} mark={mark} />
                    ))}
                    {!row.marks.length && <li className="soft">{row.unmarked ? `none: ${visible(row.unmarked)}` : "none yet"}</li>}
                  </ul>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all.some((mark) => mark.most !== null) && (
        <p className="soft small">
          From one figure to another: the rules read words and not meaning, and could not tell for every item.
        </p>
      )}
      {results.averages.length > 0 && (
        <section className="stack">
          <h2>Over all of them, by rules</h2>
          <div className="table-box" tabIndex={0} role="region" aria-label="Averages">
            <table>
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  <th scope="col">Figure</th>
                  <th scope="col">Mean</th>
                  <th scope="col">95 % interval</th>
                  <th scope="col">Scored</th>
                  <th scope="col">Unscored</th>
                </tr>
              </thead>
              <tbody>
                {results.averages.map((one) => (
                  <tr key={`${one.protocol} ${one.name}`}>
                    <td>{capital(one.protocol)}</td>
                    <th scope="row">{visible(one.words)}</th>
                    <td>{one.value === null ? "–" : figure({ value: one.value, most: one.most, why: "", share: one.share })}</td>
                    <td>
                      {one.low === null || one.high === null
                        ? "– (too few cases)"
                        : `${number(one.low, one.share)} to ${number(one.high, one.share)}`}
                    </td>
                    <td>{one.n}</td>
                    <td>{one.unscored}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p className="soft small">The interval counts cases: learners who played the same case count as one.</p>
        </section>
      )}
    </>
  );
}

function OneMark({ mark }: { mark: Mark }) {
  return (
    <li className="figure">
      {visible(mark.words)} <span className="soft small">({visible(markedBy(mark.by))})</span>: <b>{figure(mark)}</b>
    </li>
  );
}
