// Two episodes in two hospitals on one clock: what they share is played once for both, where they part is marked.
import "../player/player.css";
import "./beside.css";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { isCalm } from "#/design/calm.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Choose, Pills } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, clock as clocked, visible } from "#/design/text.ts";
import { useAddress, watchPath } from "#/evaluate/address.ts";
import type { Side } from "#/evaluate/types.ts";
import { plain } from "#/evaluate/words.ts";
import type { HospitalPlan } from "#/hospital/art/contract.ts";
import { Clock } from "#/hospital/clock.ts";
import type { Aim } from "#/hospital/picture.ts";
import { Timeline } from "#/hospital/timeline.ts";
import { hasWords, LogRow } from "../log/LogRow.tsx";
import { SPEED_CHOICES, type Speed } from "../player/Controls.tsx";
import { PictureBox, type Hold } from "../player/PictureBox.tsx";
import { rowAt, rowsOf, type Row } from "../player/rows.ts";
import { useChoreography, usePlan } from "../player/useChoreography.ts";
import { useGrowingLog } from "../player/useGrowingLog.ts";
import { partedAt, partingOf, together } from "./together.ts";

interface One {
  side: Side;
  name: string;
  timeline: Timeline;
  rows: Row[];
}

export default function Beside({ a, b, seat }: { a: Side; b: Side; seat: string }) {
  const { get, set } = useAddress();
  const view = get("view") || "all";
  return (
    <section className="stack" aria-label="In the hospital">
      <Pills
        label="Whose eyes"
        value={view}
        onChange={(id) => set({ view: id === "all" ? null : id })}
        options={[
          { id: "all", text: "Everything" },
          { id: "room", text: "The room" },
          { id: seat, text: `${capital(plain(seat))}'s eyes` },
        ]}
      />
      <Seen key={view} a={a} b={b} view={view} />
    </section>
  );
}

function Seen({ a, b, view }: { a: Side; b: Side; view: string }) {
  const plan = usePlan();
  const one = useOne(a, "First", view, plan.data);
  const other = useOne(b, "Second", view, plan.data);
  for (const { fault } of [one, other]) if (fault) return <Fault error={fault.error} again={fault.again} />;
  if (plan.error) return <Fault error={plan.error} again={() => void plan.refetch()} />;
  if (!plan.data || !one.found || !other.found) return <Loading>Opening both hospitals</Loading>;
  if (!one.found.rows.length || !other.found.rows.length)
    return (
      <Empty heading="Nothing is recorded yet">
        <p>They appear here as soon as something happens in both.</p>
      </Empty>
    );
  return <Stages plan={plan.data} one={one.found} other={other.found} />;
}

function useOne(side: Side, name: string, view: string, plan: HospitalPlan | undefined) {
  const log = useGrowingLog(side.run, side.ordinal, view);
  const made = useChoreography(side.run, side.ordinal, view, log.data?.last);
  const found = useMemo<One | null>(() => {
    if (!plan || !made.data || !log.data) return null;
    const items = log.data.items;
    const timeline = new Timeline(made.data, plan);
    return { side, name, timeline, rows: items.some(hasWords) ? rowsOf(items, made.data) : [] };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a side is made anew at each answer of the comparison
  }, [plan, made.data, log.data, name]);
  const wrong = [log, made].find((query) => query.error && !query.data);
  return { found, fault: wrong?.error ? { error: wrong.error, again: () => void wrong.refetch() } : null };
}

function Stages({ plan, one, other }: { plan: HospitalPlan; one: One; other: One }) {
  const { get, set } = useAddress();
  const parting = useMemo(() => partingOf(one.timeline, other.timeline), [one, other]);
  const parted = partedAt(one.timeline, other.timeline, parting);
  const [calm] = useState(isCalm);
  const [clock] = useState(() => new Clock(together([one.timeline, other.timeline]), Number(get("t")) || 0));
  const place = useSyncExternalStore(clock.subscribe, clock.snapshot);
  const known = useRef([one, other]);
  useEffect(() => {
    if (known.current[0] === one && known.current[1] === other) return;
    known.current = [one, other];
    clock.grow(together([one.timeline, other.timeline]));
  }, [clock, one, other]);
  useEffect(() => () => clock.stop(), [clock]);
  const [speed, setSpeed] = useState<Speed>("1");
  useEffect(() => clock.speed(speed === "instant" ? 16 : Number(speed)), [clock, speed]);
  const [aim, setAim] = useState<Aim>("follow");
  const end = Math.max(one.timeline.end, other.timeline.end);
  const t = Math.round(place.t);
  const to = (at: number) => {
    clock.play(false);
    clock.seek(at);
    set({ t: at ? String(Math.round(at)) : null });
  };
  const step = (by: 1 | -1) => {
    const times = [...new Set([one, other].flatMap(({ rows }) => rows.map(({ t0 }) => t0)))].sort((x, y) => x - y);
    const next = by === 1 ? times.find((at) => at > place.t) : times.findLast((at) => at < place.t);
    if (next !== undefined) to(next);
  };
  const play = () => {
    if (!place.playing && speed === "instant") return to(end);
    if (place.playing) set({ t: String(t) });
    clock.play(!place.playing);
  };
  const shares = parted === null ? "They never part: all that is seen is the same." : t < parted ? "All is the same in both so far." : "They have parted.";
  return (
    <>
      <div className="two-hospitals">
        {[one, other].map((each) => (
          <Half key={each.name} plan={plan} one={each} clock={clock} t={place.t} parting={parting} aim={aim} onAim={setAim} calm={calm} />
        ))}
      </div>
      <section className="controls" aria-label="Player of both">
        <p role="status" className={parted !== null && t >= parted ? "parting" : "soft"}>
          {shares}
        </p>
        <div className="scrubber">
          {parted !== null && end > 0 && <span className="parting-mark" aria-hidden style={{ insetInlineStart: `${(100 * parted) / end}%` }} title="Here they part" />}
          <input
            type="range"
            min={0}
            max={end}
            value={t}
            aria-label="Place in both"
            aria-valuetext={[one, other].map(({ name, timeline }) => `${name.toLowerCase()} at ${clocked(timeline.at(place.t).minute)}`).join(", ")}
            onKeyDown={(event) => {
              const by = ({ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 } as const)[event.key];
              if (!by) return;
              event.preventDefault();
              step(by);
            }}
            onChange={(event) => to(Number(event.target.value))}
          />
        </div>
        <div className="row player-buttons">
          <Button onPress={() => step(-1)} aria-label="The line before">
            <Icon name="back" />
          </Button>
          <Button look="main" onPress={play} className="play">
            {place.playing ? (
              <>
                <Icon name="pause" /> Pause
              </>
            ) : (
              "Play both"
            )}
          </Button>
          <Button onPress={() => step(1)} aria-label="The next line">
            <Icon name="next" />
          </Button>
          <Choose label="Speed" value={speed} onChange={setSpeed} options={SPEED_CHOICES} />
          {parted !== null && <Button onPress={() => to(parted)}>Go to where they part</Button>}
        </div>
      </section>
    </>
  );
}

interface HalfProps {
  plan: HospitalPlan;
  one: One;
  clock: Clock;
  t: number;
  parting: number | null;
  aim: Aim;
  onAim: (aim: Aim) => void;
  calm: boolean;
}

function Half({ plan, one: { side, name, timeline, rows }, clock, t, parting, aim, onAim, calm }: HalfProps) {
  const hold = useRef<Hold | null>(null);
  const scene = timeline.sceneAt(t);
  const at = rowAt(rows, scene);
  const minute = timeline.scene(scene)?.minute ?? 0;
  const past = rows.slice(0, at + 1);
  const found = parting === null ? -1 : past.findIndex((row) => row.scene >= parting);
  const parts = found < 0 ? past.length : found;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [at]);
  const isOver = t >= timeline.end;
  return (
    <section className="half stack" aria-label={`${name} episode in the hospital`}>
      <div className="row spread">
        <h2>
          {name} <span className="soft small">{visible(side.player)}</span>
        </h2>
        <span>
          <b>{clocked(minute)}</b> <span className="soft">{isOver ? "ended" : "simulated"}</span>
        </span>
      </div>
      <PictureBox plan={plan} timeline={timeline} clock={clock} aim={aim} onAim={onAim} calm={calm} labelOf={() => ""} onPerson={(who) => onAim(`who:${who}`)} hold={hold} />
      <div className="half-log" ref={box} tabIndex={0} role="group" aria-label={`What has happened in the ${name.toLowerCase()} episode`}>
        <ol className="log shared" aria-label="In both">
          {past.slice(0, parts).map((row) => (
            <LogRow key={row.item.id} item={row.item} staged={row.staged} here={row === rows[at]} />
          ))}
        </ol>
        {parts < past.length && (
          <>
            <p className="parting">Here they part</p>
            <ol className="log" aria-label="In this one alone">
              {past.slice(parts).map((row) => (
                <LogRow key={row.item.id} item={row.item} staged={row.staged} here={row === rows[at]} />
              ))}
            </ol>
          </>
        )}
      </div>
      <LinkButton href={watchPath(side.run, side.ordinal)} look="quiet" aria-label={`Watch the ${name.toLowerCase()} episode alone`}>
        Watch the {name.toLowerCase()} episode alone
      </LinkButton>
    </section>
  );
}
