// Two to eight runs compared: what differs in their set-up, who is better, the figures, the costs, and case by case.
import "../evaluate.css";
import "./compare-runs.css";
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Fault, Loading, WarnBar } from "#/design/States.tsx";
import { plural, visible } from "#/design/text.ts";
import { Command } from "../Copy.tsx";
import { Crumbs } from "../Crumbs.tsx";
import { useRunsCompared } from "../queries.ts";
import type { RunsCompared } from "../types.ts";
import { number, playerFirst } from "../words.ts";
import { useRunNames } from "../address.ts";
import { Costs } from "./Costs.tsx";
import { FiguresBeside } from "./FiguresBeside.tsx";
import { letter, MOST_RUNS, RunName } from "./letters.tsx";
import { Matrix } from "./Matrix.tsx";
import { RunPicker } from "./RunPicker.tsx";
import { SetUps } from "./SetUps.tsx";
import { Verdicts } from "./Verdicts.tsx";

export default function CompareRunsScreen() {
  const { names, score, choose } = useRunNames();
  const { data, error, refetch } = useRunsCompared(names, score);
  return (
    <div className="stack wide-page">
      <Crumbs steps={[["Runs", "/evaluate"]]} />
      <h1>{names.length < 2 ? "Compare runs" : "Runs compared"}</h1>
      {names.length < 2 ? (
        <RunPicker chosen={names} onChosen={(next) => choose(next)} />
      ) : error && !data ? (
        <>
          <Fault error={error} heading="These runs cannot be compared" again={() => void refetch()} />
          <RunPicker key={names.join("\n")} chosen={names} onChosen={(next) => choose(next)} />
        </>
      ) : data ? (
        <Compared data={data} names={names} score={score} choose={choose} />
      ) : (
        <Loading>Comparing; of large runs it takes some seconds</Loading>
      )}
    </div>
  );
}

function Compared({
  data,
  names,
  score,
  choose,
}: {
  data: RunsCompared;
  names: string[];
  score: string[];
  choose: (names: string[], score?: string[]) => void;
}) {
  const going = data.runs.filter((run) => run.done < run.planned);
  return (
    <>
      <Heads data={data} names={names} choose={choose} />
      {going.length > 0 && (
        <WarnBar>
          Not finished:{" "}
          {going.map((run) => `${visible(run.name)}, ${number(run.done)} of ${number(run.planned)} episodes`).join("; ")}
        </WarnBar>
      )}
      <SetUps data={data} />
      <Verdicts data={data} />
      <FiguresBeside data={data} score={score} onScore={(next) => choose(names, next)} />
      <Costs names={names} runs={data.runs} />
      <Matrix names={names} data={data} />
      <p className="soft small">
        {visible(data.label)} {visible(data.anchor)}
      </p>
      <section className="stack">
        <h2>The same in a terminal</h2>
        <Command label="Command that shows the same figures" text={data.command} />
      </section>
    </>
  );
}

/** The runs with their letters; the first is the baseline. */
function Heads({ data, names, choose }: { data: RunsCompared; names: string[]; choose: (names: string[]) => void }) {
  return (
    <section className="stack" aria-label="The runs">
      <ul className="compared-runs">
        {data.runs.map((run, k) => (
          <li key={run.name} className="card">
            <RunName run={run} at={k} />
            <b>{visible(run.player || "no player named")}</b>
            <span className="soft small">
              {plural(run.done, "episode")}{k === 0 ? " · the baseline" : ""}
            </span>
            {names.length > 2 && (
              <Button look="quiet" onPress={() => choose(names.filter((name) => name !== run.name))} aria-label={`Leave out ${run.name}`}>
                Leave out
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="filters wide-choices">
        <Choose
          label="Baseline"
          value={names[0] ?? ""}
          onChange={(first) => choose([first, ...names.filter((name) => name !== first)])}
          options={data.runs.map((run, k) => ({ id: run.name, text: `${letter(k)}: ${playerFirst(run, run.name)}` }))}
        />
      </div>
      {names.length < MOST_RUNS && (
        <details>
          <summary>Add another run</summary>
          <RunPicker key={names.join("\n")} chosen={names} onChosen={choose} />
        </details>
      )}
    </section>
  );
}
