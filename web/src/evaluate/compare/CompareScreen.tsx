// Two episodes side by side, row by row, with the point where they part.
import "../evaluate.css";
import "./compare.css";
import { lazy, Suspense, useState } from "react";
import { useLocation } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Pills, TextBox } from "#/design/Fields.tsx";
import { Fault, Loading, WarnBar } from "#/design/States.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { comparePath, compareRunsPath, runPath, tracePath, useAddress, watchPath } from "../address.ts";
import { Crumbs } from "../Crumbs.tsx";
import { goDown } from "../goDown.ts";
import { isGoing, useCompared } from "../queries.ts";
import type { Compared, ScorePair, Side } from "../types.ts";
import { difference, ended, plain, value, verdict } from "../words.ts";
import { Rows } from "./Rows.tsx";

const InTheHospital = lazy(() => import("#/watch/beside/Beside.tsx"));

const TRANSCRIPTS = "transcripts";

export default function CompareScreen() {
  const { get } = useAddress();
  const a = get("a");
  const b = get("b");
  const { data, error, refetch } = useCompared(a, b);
  const chosen = a && b;
  return (
    <div className="stack wide-page">
      <Crumbs steps={[["Runs", "/evaluate"], ...(data ? [wayBack(data)] : [])]} />
      <h1>Two episodes side by side</h1>
      {(!chosen || error) && <Choice key={`${a} ${b}`} a={a} b={b} />}
      {error ? <Fault error={error} again={() => void refetch()} /> : chosen && !data ? <Loading>Laying them side by side</Loading> : data && <Both compared={data} />}
    </div>
  );
}

/** The run of both, or what compares their two runs. */
function wayBack({ a, b }: Compared): [string, string] {
  return a.run === b.run ? [a.run, runPath(a.run)] : ["Their runs compared", compareRunsPath([a.run, b.run])];
}

function Choice({ a, b }: { a: string; b: string }) {
  const [one, setOne] = useState(a);
  const [other, setOther] = useState(b);
  const [, go] = useLocation();
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (one.trim() && other.trim()) go(comparePath(one.trim(), other.trim()));
      }}
    >
      <p className="soft">
        Tick two episodes in the lists of runs, or write their names: the run, a colon, and the number.
      </p>
      <div className="filters">
        <TextBox label="First episode" value={one} onChange={setOne} placeholder="RUN:0" />
        <TextBox label="Second episode" value={other} onChange={setOther} placeholder="RUN:0" />
        <Button type="submit" look="main">
          Compare
        </Button>
      </div>
    </form>
  );
}

function Both({ compared }: { compared: Compared }) {
  const { a, b, refused, same_world, differs } = compared;
  const { get, set } = useAddress();
  const seen = get("as") === "hospital" ? "hospital" : "words";
  return (
    <>
      <div className="sides">
        <SideHead name="First" side={a} />
        <SideHead name="Second" side={b} />
      </div>
      {!same_world && <WarnBar>{capital(visible(compared.world))}</WarnBar>}
      <Pills
        label="Show them"
        value={seen}
        onChange={(as) => set({ as: as === "hospital" ? as : null })}
        options={[
          { id: "words", text: "Exchange by exchange" },
          { id: "hospital", text: "In the hospital" },
        ]}
      />
      {seen === "words" && compared.scores.length > 0 && (
        <div className="row">
          <Button onPress={() => goDown(TRANSCRIPTS)}>Go to the transcripts</Button>
        </div>
      )}
      {seen === "hospital" && (
        <Suspense fallback={<Loading>Opening both hospitals</Loading>}>
          <InTheHospital a={a} b={b} seat={compared.under_test} />
        </Suspense>
      )}
      {refused.length > 0 ? (
        <WarnBar>Their scores are no fair comparison: {refused.map(visible).join("; ")}</WarnBar>
      ) : (
        compared.scores.length > 0 && <Scores pairs={compared.scores} />
      )}
      {Object.keys(differs).length > 0 && (
        <details className="card">
          <summary>What was set differently</summary>
          <dl className="settings">
            {Object.entries(differs).map(([name, values]) => (
              <div key={name}>
                <dt>{visible(plain(name))}</dt>
                <dd>{values.map(visible).join(" and ")}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {seen === "words" && (
        <div id={TRANSCRIPTS} className="stack" tabIndex={-1}>
          <Rows compared={compared} />
        </div>
      )}
    </>
  );
}

function SideHead({ name, side }: { name: string; side: Side }) {
  return (
    <section className="card side" aria-label={`${name} episode`}>
      <div className="row spread">
        <h2>
          <span className="soft small">{name}</span> {visible(side.run)}:{side.ordinal}
        </h2>
        {!isGoing(side) ? (
          <Badge look={ended(side.status)}>{visible(plain(side.status))}</Badge>
        ) : side.state === "running" ? (
          <Badge look="own">being played</Badge>
        ) : (
          <Badge look="warn">stopped before its end</Badge>
        )}
      </div>
      <p>
        {visible(side.case)} · <b>{visible(side.player)}</b> · {plural(side.exchanges, "exchange")}
      </p>
      <div className="row">
        <LinkButton href={tracePath(side.run, side.ordinal)} look="quiet" aria-label={`Trace, marks and quotes of the ${name.toLowerCase()} episode`}>
          Trace, marks and quotes
        </LinkButton>
        <LinkButton href={watchPath(side.run, side.ordinal)} look="quiet" aria-label={`Watch the ${name.toLowerCase()} episode`}>
          Watch
        </LinkButton>
        {isGoing(side) && side.state !== "running" && (
          <LinkButton href={runPath(side.run)} look="quiet" aria-label={`The run of the ${name.toLowerCase()} episode, to go on with it`}>
            Go on with its run
          </LinkButton>
        )}
      </div>
    </section>
  );
}

/** The measures that differ, then those that do not. */
function Scores({ pairs }: { pairs: ScorePair[] }) {
  const differ = pairs.filter((pair) => pair.difference !== 0);
  const same = pairs.filter((pair) => pair.difference === 0);
  return (
    <section className="stack">
      <h2>{differ.length ? "Where their scores differ" : "All their scores are the same"}</h2>
      {differ.length > 0 && <ScoreTable pairs={differ} label="Scores that differ" />}
      {same.length > 0 && (
        <details>
          <summary>{plural(same.length, "measure")} the same in both</summary>
          <ScoreTable pairs={same} label="Scores that are the same" />
        </details>
      )}
    </section>
  );
}

function ScoreTable({ pairs, label }: { pairs: ScorePair[]; label: string }) {
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label={label}>
      <table className="grid stacks">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col" className="num">
              First
            </th>
            <th scope="col" className="num">
              Second
            </th>
            <th scope="col">The second is</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair) => {
            const { text, look } = verdict(pair.better, pair.difference);
            return (
              <tr key={pair.name}>
                <th scope="row">{capital(visible(pair.words))}</th>
                <td className="num" data-of="First">{value(pair.kind, pair.a)}</td>
                <td className="num" data-of="Second">{value(pair.kind, pair.b)}</td>
                <td data-of="The second is">
                  <Badge look={look}>{text}</Badge> <span className="small">{difference(pair.kind, pair.difference)}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
