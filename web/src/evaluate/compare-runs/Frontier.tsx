// The score against a cost: a mark with its letter for each run, the frontier as steps. The table above says the same.
import { capital } from "#/design/text.ts";
import type { RunCost, RunCosts, RunLine } from "../types.ts";
import { value } from "../words.ts";
import { AXES, type Axis } from "./Costs.tsx";
import { letter, titleOf } from "./letters.tsx";

const WIDTH = 560;
const HEIGHT = 260;
const LEFT = 62;
const FOOT = 30;
const HEAD = 14;
const RIGHT = 24;

type Placed = RunCost & { amount: number; score: number };

export function Frontier({ costs, runs, axis }: { costs: RunCosts; runs: RunLine[]; axis: Axis }) {
  const placed: Placed[] = costs.runs.flatMap((one) => {
    const amount = one[axis];
    return amount === null || one.value === null ? [] : [{ ...one, amount, score: one.value }];
  });
  const missing = costs.runs.filter((one) => !placed.some((there) => there.run === one.run));
  const most = Math.max(...placed.map((one) => one.amount), 0) || 1;
  const ends = placed.flatMap((one) => [one.low ?? one.score, one.high ?? one.score]);
  const [least, greatest] = costs.kind === "share" ? [0, 1] : [Math.min(...ends, 0), Math.max(...ends, 0) || 1];
  const x = (amount: number) => LEFT + ((WIDTH - LEFT - RIGHT) * amount) / most;
  const y = (score: number) => HEAD + ((HEIGHT - HEAD - FOOT) * (greatest - score)) / (greatest - least || 1);
  const edge = placed.filter((one) => one.frontier.includes(axis)).sort((a, b) => a.amount - b.amount || a.score - b.score);
  return (
    <figure className="frontier">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${costs.score} against ${AXES[axis].unit}; the same figures stand in the table`}>
        {[0, 0.25, 0.5, 0.75, 1].map((part) => {
          const score = least + part * (greatest - least);
          return (
            <g key={part}>
              <line className="frontier-grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(score)} y2={y(score)} />
              <text x={LEFT - 6} y={y(score) + 4} textAnchor="end">
                {value(costs.kind, score)}
              </text>
            </g>
          );
        })}
        {[0, 0.5, 1].map((part) => (
          <text key={part} x={x(part * most)} y={HEIGHT - 10} textAnchor={part === 1 ? "end" : part ? "middle" : "start"}>
            {AXES[axis].of(part * most)}
          </text>
        ))}
        <polyline
          className="frontier-edge"
          points={edge.flatMap((one, k) => (k ? [`${x(one.amount)},${y(edge[k - 1]!.score)}`] : []).concat(`${x(one.amount)},${y(one.score)}`)).join(" ")}
        />
        {placed.map((one) => (
          <g key={one.run} className={one.frontier.includes(axis) ? "frontier-on" : "frontier-off"}>
            {one.low !== null && one.high !== null && (
              <line className="frontier-reach" x1={x(one.amount)} x2={x(one.amount)} y1={y(one.low)} y2={y(one.high)} />
            )}
            <circle cx={x(one.amount)} cy={y(one.score)} r={11} />
            <text x={x(one.amount)} y={y(one.score) + 4.5} textAnchor="middle" className="frontier-letter">
              {letter(one.run)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption className="small soft">
        {capital(costs.score)} against {AXES[axis].unit}, each run over its own episodes, its judge not counted. A run is on the
        frontier (filled) unless another spends no more, scores no less, and is better in one; that is of these
        figures, without regard to their intervals (bars, 95 %).
        {missing.length > 0 &&
          ` Not drawn: ${missing.map((one) => `${letter(one.run)} ${titleOf(runs, one.run)} (${why(one, axis)})`).join(", ")}.`}
      </figcaption>
    </figure>
  );
}

function why(one: RunCost, axis: Axis): string {
  if (one.value === null) return "no score";
  if (axis === "money") return "unpriced: not free, its price is not known";
  return axis === "tokens" ? "tokens not reported" : "times not recorded";
}
