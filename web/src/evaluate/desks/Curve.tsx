// The learning curve of a stream: the share of probes concluded rightly after each stage, with its interval.
import type { Desks, Estimate } from "../types.ts";
import { estimate } from "./figures.ts";

type DeskOf = Desks["desks"][number];
const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 42;
const FOOT = 20;
const HEAD = 8;

export function Curve({ desk, last, at }: { desk: DeskOf; last: number; at: number }) {
  const points: { stage: number; right: Estimate }[] = [
    ...(desk.before ? [{ stage: 0, right: desk.before.right }] : []),
    ...desk.stages.flatMap((one) => {
      const right = one.probes["memory"]?.right;
      return right ? [{ stage: one.number, right }] : [];
    }),
  ];
  const x = (stage: number) => LEFT + ((WIDTH - LEFT - 14) * stage) / Math.max(1, last) + 4;
  const y = (share: number) => HEAD + (HEIGHT - HEAD - FOOT) * (1 - share);
  const drawn = points.filter(({ right }) => right.value !== null);
  return (
    <figure className="curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="curve-grid" x1={LEFT} x2={WIDTH} y1={y(share)} y2={y(share)} />
            <text x={LEFT - 5} y={y(share) + 4} textAnchor="end">
              {100 * share} %
            </text>
          </g>
        ))}
        {drawn.map(({ stage, right }) => (
          <g key={stage} className={stage <= at ? "curve-past" : "curve-ahead"}>
            {right.low !== null && right.high !== null && (
              <line className="curve-reach" x1={x(stage)} x2={x(stage)} y1={y(right.low)} y2={y(right.high)} />
            )}
            <circle cx={x(stage)} cy={y(right.value!)} r={stage === at ? 5.5 : 4} />
            <text x={x(stage)} y={HEIGHT - 5} textAnchor="middle">
              {stage}
            </text>
          </g>
        ))}
        <polyline className="curve-line" points={drawn.filter(({ stage }) => stage <= at).map(({ stage, right }) => `${x(stage)},${y(right.value!)}`).join(" ")} />
      </svg>
      <figcaption className="small soft">Held-out cases concluded rightly, by stage; bars are 95 % intervals (Wilson), of this stream alone.</figcaption>
      <ul className="unseen">
        {points.map(({ stage, right }) => (
          <li key={stage}>
            {stage ? `After stage ${stage}` : "Without memory"}: {estimate(right)}
          </li>
        ))}
      </ul>
    </figure>
  );
}
