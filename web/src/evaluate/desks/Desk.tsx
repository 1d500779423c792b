// One stream at its desk: the drawers as they are after a stage, the learning curve, and the ways into its episodes.
import { useId } from "react";
import { Link } from "wouter";
import { capital, plural, visible } from "#/design/text.ts";
import { runPath, watchPath } from "../address.ts";
import type { Desks, Estimate } from "../types.ts";
import { plain } from "../words.ts";
import { Curve } from "./Curve.tsx";
import { estimate, sum } from "./figures.ts";

type DeskOf = Desks["desks"][number];
type Stage = DeskOf["stages"][number];

const CONDITIONS: Record<string, string> = {
  memory: "its memory",
  wrong: "wrong labels",
  oracle: "right answers",
  small: "little room",
};
const KINDS: Record<string, string> = { case: "medical record", insight: "experience record", skill: "skill" };

interface DeskProps {
  desk: DeskOf;
  at: number;
  last: number;
  most: number;
  onStage: (stage: number) => void;
}

export function Desk({ desk, at, last, most, onStage }: DeskProps) {
  const heading = useId();
  const stage = desk.stages[at - 1];
  const conditions = [...new Set(desk.stages.flatMap((one) => one.drawers.map(({ condition }) => condition)))];
  return (
    <section className="card desk" aria-labelledby={heading}>
      <h2 id={heading}>{streamName(desk.stream)}</h2>
      <Curve desk={desk} last={last} at={at} />
      <div className="desk-top" aria-hidden>
        <span className="desk-lamp" />
        <span className="desk-screen" />
        <span className="desk-papers" />
      </div>
      <ul className="drawers" aria-label={`Drawers ${at ? `after stage ${at}` : "before the first stage"}`}>
        {conditions.map((condition) => {
          const cards = stage?.drawers.find((one) => one.condition === condition)?.cards ?? {};
          return <Drawer key={condition} condition={condition} cards={cards} most={most} probed={stage?.probes[condition]?.right} />;
        })}
      </ul>
      <ol className="desk-stages" aria-label="Stages of this stream">
        {desk.stages.map((one) => (
          <li key={one.number} className={one.number === at ? "now" : ""}>
            <StageLine stage={one} now={one.number === at} onStage={onStage} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Drawer({ condition, cards, most, probed }: { condition: string; cards: Record<string, number>; most: number; probed: Estimate | undefined }) {
  const held = sum(cards);
  const kinds = Object.entries(cards).map(([kind, count]) => plural(count, KINDS[kind] ?? plain(kind)));
  return (
    <li className="drawer">
      <span className="drawer-name">{capital(CONDITIONS[condition] ?? plain(condition))}</span>
      <span className="drawer-box" aria-hidden>
        <span className="drawer-cards" style={{ inlineSize: `${(100 * held) / most}%` }} />
        <span className="drawer-knob" />
      </span>
      <span className="small drawer-words">
        {held ? kinds.join(", ") : "empty"}
        {probed && <span className="soft">; probes right {estimate(probed)}</span>}
      </span>
    </li>
  );
}

function StageLine({ stage, now, onStage }: { stage: Stage; now: boolean; onStage: (stage: number) => void }) {
  const first = stage.taught[0];
  const scored = stage.taught.reduce((all, one) => all + one.right.n, 0);
  const right = stage.taught.reduce((all, one) => all + Math.round((one.right.value ?? 0) * one.right.n), 0);
  const again = stage.again.reduce((all, one) => all + one.done, 0);
  return (
    <>
      <button type="button" className="stage-button" aria-pressed={now} onClick={() => onStage(stage.number)}>
        Stage {stage.number}
      </button>
      <span className="small">
        {scored ? `${right} of ${scored} right at once` : "not scored yet"}
        {again > 0 && <span className="soft">, {plural(again, "second attempt")}</span>}
      </span>
      {first && first.done > 0 && (
        <span className="row small">
          <Link href={watchPath(first.run, 0)} aria-label={`Watch one of stage ${stage.number}`}>
            Watch one
          </Link>
          <Link href={runPath(first.run)} aria-label={`All episodes of stage ${stage.number}`}>
            All
          </Link>
        </span>
      )}
    </>
  );
}

/** A share with its interval, its n and what was not scored. */
function streamName(stream: string): string {
  const found = /^o(\d+)s(\d+)$/.exec(stream);
  return found ? `Stream: order ${Number(found[1]) + 1}, seed ${Number(found[2]) + 1}` : visible(stream);
}
