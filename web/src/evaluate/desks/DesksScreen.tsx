// A longitudinal study as a room of desks: one for each stream of a doctor's career, whose drawers fill with cards.
import "../evaluate.css";
import "./desks.css";
import { useEffect, useState } from "react";
import { useParams } from "wouter";
import { isCalm } from "#/design/calm.ts";
import { Button } from "#/design/Button.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { plural, visible } from "#/design/text.ts";
import { useAddress } from "../address.ts";
import { Crumbs } from "../Crumbs.tsx";
import { useDesks } from "../queries.ts";
import type { Desks } from "../types.ts";
import { Desk } from "./Desk.tsx";
import { sum } from "./figures.ts";

export default function DesksScreen() {
  const { key = "" } = useParams();
  const { data, error, refetch } = useDesks(key);
  return (
    <div className="stack wide-page">
      <Crumbs steps={[["Runs", "/evaluate?kind=study"]]} />
      <h1>A doctor's career, stage by stage</h1>
      {error ? <Fault error={error} again={() => void refetch()} /> : !data ? <Loading>Opening the drawers</Loading> : <Room study={data} />}
    </div>
  );
}

function Room({ study }: { study: Desks }) {
  const { get, set } = useAddress();
  const last = Math.max(0, ...study.desks.map((desk) => desk.stages.length));
  const at = Math.min(last, get("stage") === "" ? last : Math.max(0, Number(get("stage")) || 0));
  const [playing, setPlaying] = useState(false);
  const go = (stage: number) => set({ stage: stage === last ? "" : String(stage) });
  useEffect(() => {
    if (!playing) return;
    if (at >= last) return setPlaying(false);
    const timer = setTimeout(() => go(at + 1), 1_400);
    return () => clearTimeout(timer);
  });
  if (last === 0 && study.desks.every((desk) => desk.before === null))
    return (
      <Empty heading="Nothing was taught yet">
        <p>The desks appear as soon as a stage has been played.</p>
      </Empty>
    );
  const most = Math.max(1, ...study.desks.flatMap((desk) => desk.stages.flatMap((stage) => stage.drawers.map(({ cards }) => sum(cards)))));
  const start = () => {
    if (at >= last) go(0);
    setPlaying(true);
  };
  return (
    <>
      <p className="soft">
        {plural(study.desks.length, "stream")} of <b>{visible(study.doctor)}</b> on {visible(study.cases)}: in each stage cases are
        consulted and lessons written into the drawers, then every memory is probed with cases it has never met. A built-in doctor is
        a baseline, not a model.
      </p>
      <div className="row desks-time" role="group" aria-label="Stages">
        <Button look="main" onPress={() => (playing ? setPlaying(false) : start())}>
          {playing ? "Pause" : isCalm() ? "Step through" : "Play the stages"}
        </Button>
        <label className="desks-slider">
          <span>{at === 0 ? "Before the first stage" : `After stage ${at} of ${last}`}</span>
          <input
            type="range"
            min={0}
            max={last}
            value={at}
            aria-valuetext={at === 0 ? "before the first stage" : `after stage ${at} of ${last}`}
            onChange={(event) => (setPlaying(false), go(Number(event.target.value)))}
          />
        </label>
      </div>
      <ul className="desks" aria-label="Desks">
        {study.desks.map((desk) => (
          <li key={desk.stream}>
            <Desk desk={desk} at={at} last={last} most={most} onStage={go} />
          </li>
        ))}
      </ul>
    </>
  );
}
