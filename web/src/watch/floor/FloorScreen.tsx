// The floor of a run: its episodes played side by side in one hospital, and the lift to the other floors.
import "../player/player.css";
import "./floor.css";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { Pills } from "#/design/Fields.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { floorPath, runPath, useAddress } from "#/evaluate/address.ts";
import { Crumbs } from "#/evaluate/Crumbs.tsx";
import { useEpisode, useRun, useRunFollowed } from "#/evaluate/queries.ts";
import type { RunDetail } from "#/evaluate/types.ts";
import { number } from "#/evaluate/words.ts";
import { eyes } from "../player/eyes.ts";
import { usePlan } from "../player/useChoreography.ts";
import { Floor } from "./Floor.tsx";
import { Lift } from "./Lift.tsx";
import { useFloor, useFloors, type Floor as FloorLine, type FloorEpisode } from "./useFloors.ts";

export default function FloorScreen() {
  const { run: name = "" } = useParams();
  const run = useRun(name);
  const floors = useFloors(name);
  useRunFollowed(name, run.data?.run.status === "running" || !!run.data?.here);
  for (const one of [run, floors])
    if (one.error && !one.data)
      return (
        <>
          <h1 className="unseen">The floors of a run</h1>
          <Fault error={one.error} again={() => void one.refetch()} />
        </>
      );
  if (!run.data || !floors.data) return <Loading>Opening the hospital</Loading>;
  const total = floors.data.pages[0]?.total ?? 0;
  if (!total)
    return (
      <>
        <h1 className="unseen">The floors of a run</h1>
        <Empty heading="This run has no floor">
          <p>It plans no episodes.</p>
        </Empty>
      </>
    );
  return (
    <House
      key={name}
      detail={run.data}
      lines={floors.data.pages.flatMap(({ items }) => items)}
      total={total}
      more={floors.hasNextPage ? () => void floors.fetchNextPage({ cancelRefetch: false }) : null}
    />
  );
}

interface HouseProps {
  detail: RunDetail;
  lines: FloorLine[];
  total: number;
  more: (() => void) | null;
}

/** Chooses the floor and the view; the server makes what is seen. */
function House({ detail, lines, total, more }: HouseProps) {
  const run = detail.run.name;
  const { get, set } = useAddress();
  const [, go] = useLocation();
  const [first] = useState(() => firstFloor(lines));
  const at = Math.min(total - 1, floorOf(get, lines) ?? first);
  const known = lines.find(({ floor }) => floor === at)?.episodes;
  const begun = known?.find(({ status }) => status !== "planned")?.n ?? null;
  const pathOf = (floor: number) => floorPath(run, { floor, view: get("view") });
  const onFloor = (floor: number) => go(pathOf(floor));
  const statuses = new Map(known?.map(({ n, status }) => [n, status]));
  const isRunning = detail.run.status === "running";
  return (
    <div className="stack wide-page player floor">
      <div className="row spread player-head">
        <div>
          <Crumbs
            steps={[
              ["Runs", "/evaluate"],
              [run, runPath(run)],
            ]}
          />
          <h1>Watch floor {number(at)}</h1>
        </div>
        {isRunning && <Badge look="own">being played</Badge>}
        {begun !== null && <Views run={run} n={begun} value={get("view")} onChange={(view) => set({ view, floor: String(at) })} />}
      </div>
      <div className={`watch-grid floor-grid ${total > 1 ? "with-lift" : ""}`}>
        {total > 1 && <Lift floors={lines} total={total} at={at} pathOf={pathOf} onGo={onFloor} more={more} />}
        <Seen
          key={`${at} ${get("view")}`}
          run={run}
          floor={at}
          view={get("view")}
          live={isRunning || detail.here}
          statusOf={({ n, ended, choreography }) => statuses.get(n) ?? (ended ? "ended" : choreography ? "running" : "planned")}
          onFloor={onFloor}
        />
      </div>
    </div>
  );
}

/** The floor that the address names: by its number, or by one of its episodes. */
function floorOf(get: (name: string) => string, lines: FloorLine[]): number | null {
  const number = /^\d+$/;
  if (number.test(get("floor"))) return Number(get("floor"));
  const many = lines[0]?.episodes.length ?? 1;
  return number.test(get("episode")) ? Math.floor(Number(get("episode")) / many) : null;
}

/** The first floor on which somebody plays, else the lowest. */
function firstFloor(lines: FloorLine[]): number {
  return lines.find(({ episodes }) => episodes.some(({ status }) => status === "running"))?.floor ?? 0;
}

/** The eyes through which the floor may be seen, as the server allows them for its first episode that has begun. */
function Views({ run, n, value, onChange }: { run: string; n: number; value: string; onChange: (view: string) => void }) {
  const { data } = useEpisode(run, n);
  if (!data) return null;
  const [own = "doctor"] = data.views;
  const offered = [own, "room", "all", value].filter((one, k, all) => data.views.includes(one) && all.indexOf(one) === k);
  return (
    <>
      <Pills label="Whose eyes" value={value || own} onChange={onChange} options={offered.map((id) => ({ id, text: eyes(id) }))} />
      {data.hidden && <p className="soft small">{capital(visible(data.hidden))}.</p>}
    </>
  );
}

interface SeenProps {
  run: string;
  floor: number;
  view: string;
  live: boolean;
  statusOf: (episode: FloorEpisode) => string;
  onFloor: (floor: number) => void;
}

function Seen({ run, floor, view, ...rest }: SeenProps) {
  const plan = usePlan();
  const played = useFloor(run, floor, view);
  for (const one of [plan, played])
    if (one.error && !one.data)
      return (
        <div className="stage-box">
          <Fault error={one.error} again={() => void one.refetch()} />
        </div>
      );
  if (!plan.data || !played.data)
    return (
      <div className="stage-box">
        <Loading>Going to floor {number(floor)}</Loading>
      </div>
    );
  return <Floor run={run} plan={plan.data} played={played.data} view={view} {...rest} />;
}
