// The player: picture, log, notebook and board on one clock.
import { useEffect, useMemo, useRef, useState } from "react";
import { isCalm } from "#/design/calm.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Keys } from "#/design/Keys.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { useAddress } from "#/evaluate/address.ts";
import type { LogItem } from "#/evaluate/types.ts";
import type { HospitalPlan } from "#/hospital/art/contract.ts";
import type { Box } from "#/hospital/camera.ts";
import { named } from "#/hospital/overlay.ts";
import type { Aim } from "#/hospital/picture.ts";
import { Timeline } from "#/hospital/timeline.ts";
import type { Bubble, Choreography } from "#/hospital/types.ts";
import { Board } from "./Board.tsx";
import { Controls, SPEEDS, type Moves, type Speed } from "./Controls.tsx";
import { limitsOf } from "./evidence.ts";
import { read, written } from "./instant.ts";
import { keysOf } from "./keys.ts";
import { Announced, LogList } from "./LogList.tsx";
import { Notebook } from "./Notebook.tsx";
import { PersonMenu } from "./PersonMenu.tsx";
import { PictureBox, type Hold } from "./PictureBox.tsx";
import { rowAt, rowOf, rowsOf, stepByExchange, stepByRow, type Row } from "./rows.ts";
import { useClock } from "./useClock.ts";
import { useKept } from "./useKept.ts";
import { Vitals } from "./Vitals.tsx";

export interface PlayerProps {
  plan: HospitalPlan;
  made: Choreography;
  items: LogItem[];
  ended: boolean;
  view: string;
  /** The views that there are, this one among them. */
  views: string[];
  /** What only a server has; a page of its own has none of it. */
  served?: Served;
}

export interface Served {
  /** The address of the trace. */
  trace: string;
  /** The seats that can be taken from here on, in an episode that is still played too. */
  seats: string[];
  /** Opens "What if?" at an exchange, which `seat` began with these words; `chair` is the seat somebody wants. */
  onBranch: (at: { n: number; seat: string; words: string }, chair: string) => void;
}

const AIMS = /^(follow|whole|room:.+|who:.+)$/;
/** Kinds of events and parts of lines of which a bubble says what they are. */
const SAID_AS: Record<string, string> = { review: "review", draft: "draft", analysis: "analysis", guidance: "guidance" };

export function Player({ plan, made, items, ended, view, views, served }: PlayerProps) {
  const { get, set } = useAddress();
  const [calm] = useState(isCalm);
  const timeline = useMemo(() => new Timeline(made, plan), [made, plan]);
  const rows = useMemo(() => rowsOf(items, made, ended), [items, made, ended]);
  const start = useRef(get("at"));
  const { clock, place } = useClock(timeline, () => (start.current ? read(timeline, start.current) : ended ? { t: 0, scene: 0 } : { t: timeline.end, scene: -1 }));
  useEffect(() => {
    if (start.current || calm) return;
    if (ended) clock.play(true);
    else clock.follow();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when it is opened
  }, []);
  const [speed, setSpeed] = useState<Speed>(SPEEDS.find((one) => one === get("speed")) ?? "1");
  useEffect(() => clock.speed(speed === "instant" ? 16 : Number(speed)), [clock, speed]);
  const [aim, setAim] = useState<Aim>(() => (AIMS.test(get("camera")) ? (get("camera") as Aim) : "follow"));
  const [person, setPerson] = useState<{ who: string; box: Box } | null>(null);
  const hold = useRef<Hold | null>(null);

  const at = rowAt(rows, place.scene);
  const row = rows[at];
  const instant = useMemo(() => timeline.at(place.t), [timeline, place.t]);
  const past = useMemo(() => rows.slice(0, at + 1), [rows, at]);
  const limits = useMemo(() => limitsOf(past), [past]);
  const here = written(timeline, place.t, place.scene);
  useKept(here, place.playing, (kept) => set({ at: kept }));

  const toRow = (index: number) => {
    const found = rows[index];
    if (!found) return;
    clock.play(false);
    clock.toScene(found.scene);
  };
  const moves: Moves = {
    play: () => {
      if (!place.playing && speed === "instant") clock.seek(timeline.end);
      else clock.play(!place.playing);
    },
    seek: (t) => {
      clock.play(false);
      clock.seek(t);
    },
    row: toRow,
    step: (by) => toRow(stepByRow(rows, at, by)),
    exchange: (by) => toRow(stepByExchange(rows, at, by)),
    mark: (by, mark) => {
      const wanted = ({ item }: Row) => (mark ? item.mark === mark : item.mark !== null);
      toRow(by === 1 ? rows.findIndex((one, k) => k > at && wanted(one)) : rows.findLastIndex((one, k) => k < at && wanted(one)));
    },
    follow: () => clock.follow(),
  };
  const go = (id: string) => toRow(rowOf(rows, id));
  const chooseAim = (now: Aim) => {
    setAim(now);
    set({ camera: now === "follow" || now === "free" ? null : now });
  };
  const labels = useMemo(() => new Map(rows.map(({ item }) => [item.id, labelOf(item)])), [rows]);
  const cards = made.cards.slice(0, instant.cards);
  const fast = place.playing && (speed === "instant" || Number(speed) >= 4);
  const n = Math.max(1, row?.item.n ?? 1);
  const branch = (chair: string) => {
    clock.play(false);
    served?.onBranch({ n, seat: row?.item.seat ?? "", words: row?.item.lines[0]?.text ?? "" }, chair);
  };
  const isAtEnd = ended && place.t >= timeline.end;
  const pending = instant.slips.length;
  const tabs = [
    { id: "log", title: "Log", body: <LogList rows={rows} at={at} onChoose={(item) => go(item.id)} /> },
    {
      id: "notebook",
      title: `Notebook (${cards.length})`,
      body: <Notebook cards={cards} rows={rows} past={past} ended={isAtEnd} trace={served?.trace} onGo={go} />,
    },
    {
      id: "board",
      title: pending ? `Board (${pending})` : "Board",
      body: (
        <Board slips={made.slips.filter(({ t0 }) => t0 <= place.t)} locks={made.locks.slice(0, instant.locks)} limits={limits} t={place.t} minute={instant.minute} />
      ),
    },
  ];
  return (
    <>
      <Announced rows={rows} at={at} fast={fast} />
      <div className="watch-grid">
        <PictureBox
          plan={plan}
          timeline={timeline}
          clock={clock}
          aim={aim}
          onAim={chooseAim}
          calm={calm}
          labelOf={(bubble: Bubble) => labels.get(bubble.id) ?? ""}
          onPerson={(who, box) => setPerson({ who, box })}
          hold={hold}
        >
          {instant.monitor && <Vitals now={instant.monitor} before={instant.monitorBefore} />}
          {person && made.actors[person.who] && (
            <PersonMenu
              name={named(made.actors[person.who]!.name)}
              box={person.box}
              onEyes={views.includes(person.who) && person.who !== view ? () => set({ view: person.who, at: here }) : null}
              onSeat={served?.seats.includes(person.who) ? () => branch(person.who) : null}
              onFollow={() => chooseAim(`who:${person.who}`)}
              onClose={() => setPerson(null)}
            />
          )}
        </PictureBox>
        <Controls
          rows={rows}
          at={at}
          place={place}
          end={timeline.end}
          minute={row?.item.minute ?? instant.minute}
          exchanges={rows.at(-1)?.item.n ?? 0}
          limits={limits}
          moves={moves}
          speed={speed}
          onSpeed={setSpeed}
          ended={ended}
        />
        <Tabs label="Beside the picture" items={tabs} className="beside" />
      </div>
      <div className="row">
        {served && <LinkButton href={`${served.trace}?e=${n}`}>Trace from here</LinkButton>}
        {served && served.seats.length > 0 && <Button onPress={() => branch("")}>What if? Or take the chair</Button>}
        <Keys keys={keysOf(moves, { zoom: (by) => hold.current?.zoom(by), aim: chooseAim }, plan)} />
      </div>
    </>
  );
}

function labelOf(item: LogItem): string {
  const event = item.event as Record<string, unknown> | null;
  return SAID_AS[String(event?.kind)] ?? SAID_AS[String(event?.part)] ?? "";
}
