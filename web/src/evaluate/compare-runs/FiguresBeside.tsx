// The measures of the runs beside each other, each with its interval, and the paired difference from the baseline.
import { Choose } from "#/design/Fields.tsx";
import { capital, visible } from "#/design/text.ts";
import { Reach } from "../run/Figures.tsx";
import type { Figure, RunsCompared, ScoreGap } from "../types.ts";
import { difference, number, value } from "../words.ts";
import { Letter, letter, titleOf } from "./letters.tsx";

export function FiguresBeside({
  data,
  score,
  onScore,
}: {
  data: RunsCompared;
  score: string[];
  onScore: (score: string[]) => void;
}) {
  const first = data.figures[0] ?? [];
  const usual = first.map((one) => one.name).filter((name) => !data.choices.some((choice) => choice.name === name));
  const also = score.find((name) => !usual.includes(name)) ?? "";
  return (
    <section className="stack">
      <h2>Figures</h2>
      <div className="filters">
        <Choose
          label="Compare also"
          value={also}
          onChange={(name) => onScore(name ? [...usual, name] : [])}
          options={[
            { id: "", text: "Nothing more" },
            ...data.choices.map((one) => ({ id: one.name, text: capital(visible(one.words)) })),
          ]}
        />
      </div>
      {first.map((figure, at) => (
        <Measure key={figure.name} at={at} data={data} />
      ))}
      {data.passes.length > 0 && <Passes data={data} />}
    </section>
  );
}

function Measure({ data, at }: { data: RunsCompared; at: number }) {
  const figure = data.figures[0]![at]!;
  const words = capital(visible(figure.words));
  const ranked = at === 0 && data.ranks.some((one) => one.rank !== null) && data.runs.length > 2;
  return (
    <div className="stack">
      <h3>
        {words}
        <span className="soft small means">
          {visible(figure.means)}
          {figure.better !== "neither" && `; ${figure.better} is better`}
        </span>
      </h3>
      <div className="scrolls" tabIndex={0} role="region" aria-label={`${words} of the runs`}>
        <table className="grid stacks">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col" className="num">
                Value
              </th>
              <th scope="col">95 % interval</th>
              <th scope="col" className="num">
                n
              </th>
              <th scope="col" className="num">
                Unscored
              </th>
              <th scope="col">Minus the baseline, paired</th>
              <th scope="col" className="num">
                Pairs
              </th>
              {ranked && (
                <th scope="col" className="num">
                  Rank
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {data.runs.map((run, k) => (
              <tr key={run.name}>
                <th scope="row">
                  <Letter at={k} /> {titleOf(data.runs, k)}
                </th>
                <Own figure={data.figures[k]![at]!} />
                <Gap data={data} run={k} at={at} kind={figure.kind} />
                {ranked && (
                  <td className="num" data-of="Rank">
                    <RankOf data={data} run={k} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Own({ figure }: { figure: Figure }) {
  return (
    <>
      <td className="num" data-of="Value">
        {figure.bounds ? (
          <span className="soft">see bounds</span>
        ) : figure.value === null ? (
          <span className="soft">not scored</span>
        ) : (
          value(figure.kind, figure.value)
        )}
      </td>
      <td data-of="95 % interval">
        <Reach figure={figure} />
      </td>
      <td className="num" data-of="n">
        {number(figure.n)}
      </td>
      <td className="num" data-of="Unscored">
        {number(figure.unscored)}
      </td>
    </>
  );
}

function Gap({ data, run, at, kind }: { data: RunsCompared; run: number; at: number; kind: Figure["kind"] }) {
  const pair = data.pairs.find((one) => one.first === 0 && one.second === run);
  const gap = pair?.scores[at];
  const name = "Minus the baseline, paired";
  return (
    <>
      <td data-of={name}>
        {run === 0 ? (
          <span className="soft">the baseline</span>
        ) : !pair || pair.refused.length > 0 || !gap ? (
          <span className="soft">not comparable</span>
        ) : (
          <GapWords gap={gap} kind={kind} />
        )}
      </td>
      <td className="num" data-of="Pairs">
        {gap ? number(gap.n_pairs) : <span className="soft">none</span>}
        {gap && gap.unscored > 0 && <span className="soft small"> and {number(gap.unscored)} unscored</span>}
      </td>
    </>
  );
}

function GapWords({ gap, kind }: { gap: ScoreGap; kind: Figure["kind"] }) {
  const p = gap.p_holm ?? gap.p;
  if (gap.bounds)
    return (
      <>
        {difference(kind, gap.bounds[0])} to {difference(kind, gap.bounds[1])}: bounds, whatever the unscored would have scored
      </>
    );
  if (gap.value === null) return <span className="soft">nothing scored in both</span>;
  return (
    <>
      <b>{difference(kind, gap.value)}</b>{" "}
      <span className="small">
        {gap.low === null || gap.high === null
          ? "without an interval"
          : `${difference(kind, gap.low)} to ${difference(kind, gap.high)}`}
        {p !== null && `, p ${p < 0.001 ? "< 0.001" : p.toFixed(3)}`}
      </span>
    </>
  );
}

function RankOf({ data, run }: { data: RunsCompared; run: number }) {
  const one = data.ranks[run];
  if (!one || one.rank === null) return <span className="soft">none</span>;
  return (
    <>
      {one.rank} <span className="soft small">{one.low === one.high ? `(${one.low})` : `(${one.low} to ${one.high})`}</span>
    </>
  );
}

function Passes({ data }: { data: RunsCompared }) {
  const ks = [...new Set(data.passes.map((one) => one.k))];
  return (
    <div className="stack">
      <h3>
        Reliability
        <span className="soft small means">pass^k: the probability that k repeats of a case are all right, over the worlds that all runs played</span>
      </h3>
      <div className="scrolls" tabIndex={0} role="region" aria-label="Reliability of the runs">
        <table className="grid stacks">
          <thead>
            <tr>
              <th scope="col">Run</th>
              {ks.map((k) => (
                <th key={k} scope="col" className="num">
                  pass^{k}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.runs.map((run, place) => (
              <tr key={run.name}>
                <th scope="row">
                  <span className="unseen">{letter(place)}</span>
                  <span aria-hidden>
                    <Letter at={place} />
                  </span>{" "}
                  {titleOf(data.runs, place)}
                </th>
                {ks.map((k) => {
                  const one = data.passes.find((pass) => pass.run === place && pass.k === k);
                  return (
                    <td key={k} className="num" data-of={`pass^${k}`}>
                      {one ? value("share", one.value) : "none"}
                      {one && one.low !== null && (
                        <span className="soft small">
                          {" "}
                          ({value("share", one.low)} to {value("share", one.high)})
                        </span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
