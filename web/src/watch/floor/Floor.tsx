// One floor: the picture with everybody on it, the list of its episodes, and one player for all.
import { useEffect, useMemo, useRef, useState } from "react";
import { isCalm } from "#/design/calm.ts";
import { useLocation } from "wouter";
import { Keys, type Key } from "#/design/Keys.tsx";
import { clock as clocked } from "#/design/text.ts";
import { address, useAddress, watchPath } from "#/evaluate/address.ts";
import type { HospitalPlan, PlanRoom } from "#/hospital/art/contract.ts";
import type { Aim } from "#/hospital/picture.ts";
import { Timeline } from "#/hospital/timeline.ts";
import type { Speed } from "../player/Controls.tsx";
import { read, written } from "../player/instant.ts";
import { PictureBox, type Hold } from "../player/PictureBox.tsx";
import { useClock } from "../player/useClock.ts";
import { useKept } from "../player/useKept.ts";
import { Doings } from "./Doings.tsx";
import { FloorControls, type FloorMoves } from "./FloorControls.tsx";
import { encounterOf, floorPlay, type Part } from "./floorPlay.ts";
import type { FloorEpisode, FloorPlayed } from "./useFloors.ts";

export interface FloorProps {
  run: string;
  plan: HospitalPlan;
  played: FloorPlayed;
  view: string;
  /** Whether the run is being played. */
  live: boolean;
  statusOf: (episode: FloorEpisode) => string;
  onFloor: (floor: number) => void;
}

export function Floor({ run, plan, played, view, live, statusOf, onFloor }: FloorProps) {
  const { get, set } = useAddress();
  const [, go] = useLocation();
  const { episodes } = played;
  const [calm] = useState(isCalm);
  const parts = useMemo(() => partsOf(episodes, plan), [episodes, plan]);
  const play = useMemo(() => floorPlay(parts, episodes.length > 1), [parts, episodes.length]);
  const growing = live && episodes.some(({ ended }) => !ended);
  const start = useRef(beginning(get, parts));
  const { clock, place } = useClock(play, () => ({ t: start.current ?? (growing ? play.end : 0), scene: -1 }));
  useEffect(() => {
    if (start.current !== null || calm) return;
    if (growing) clock.follow();
    else clock.play(true);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when it is opened
  }, []);
  const [speed, setSpeed] = useState<Speed>("1");
  useEffect(() => clock.speed(speed === "instant" ? 16 : Number(speed)), [clock, speed]);
  const [aim, setAim] = useState<Aim>("whole");
  const hold = useRef<Hold | null>(null);
  const t = Math.round(place.t);
  useKept(String(t), place.playing, (kept) => set({ floor: String(played.floor), t: kept, episode: null, at: null }));

  const pathOf = (n: number) => {
    const part = parts.find((one) => one.n === n);
    const at = part && written(part.timeline, clock.now(), part.timeline.sceneAt(clock.now()));
    return address(watchPath(run, n), { view, at });
  };
  const toRoom = ({ title }: PlanRoom) => {
    const found = parts.find(({ room }) => room === title);
    if (found) go(pathOf(found.n));
  };
  const seek = (to: number) => {
    clock.play(false);
    clock.seek(to);
  };
  const moves: FloorMoves = {
    play: () => {
      if (!place.playing && speed === "instant") seek(play.end);
      else clock.play(!place.playing);
    },
    seek,
    step: (by) => {
      const next = neighbour(parts, place.t, by);
      if (next !== null) seek(next);
    },
    follow: () => clock.follow(),
  };
  const words = parts.map(({ n, timeline }) => `episode ${n} at ${clocked(timeline.scene(timeline.sceneAt(place.t))?.minute ?? 0)}`).join(", ");
  return (
    <>
      <PictureBox
        plan={plan}
        timeline={play}
        clock={clock}
        aim={aim}
        onAim={setAim}
        rest="whole"
        calm={calm}
        labelOf={() => ""}
        onPerson={(who) => go(pathOf(encounterOf(who)))}
        onRoom={toRoom}
        hold={hold}
      />
      <FloorControls place={place} end={play.end} words={words || "Nothing is played here yet"} moves={moves} speed={speed} onSpeed={setSpeed} live={growing}>
        <Keys keys={keysOf(moves, played, parts, { onFloor, onAim: setAim, onOpen: (n) => go(pathOf(n)), onZoom: (by) => hold.current?.zoom(by) })} />
      </FloorControls>
      <Doings episodes={episodes} parts={parts} t={place.t} statusOf={statusOf} pathOf={pathOf} />
    </>
  );
}

function partsOf(episodes: FloorEpisode[], plan: HospitalPlan): Part[] {
  return episodes.flatMap(({ n, room, choreography }) => (choreography ? [{ n, room, timeline: new Timeline(choreography, plan) }] : []));
}

/** The instant of the address: a time, or that of an episode from which one comes. `null` if it has none. */
function beginning(get: (name: string) => string, parts: Part[]): number | null {
  if (get("t")) return Math.max(0, Number(get("t")) || 0);
  const from = parts.find(({ n }) => String(n) === get("episode"));
  return from && get("at") ? read(from.timeline, get("at")).t : null;
}

/** The time at which the next line of any of them begins, or the one before. */
function neighbour(parts: Part[], t: number, by: 1 | -1): number | null {
  const times = parts.map(({ timeline }) => {
    const scenes = timeline.made.scenes.map(({ t0 }) => t0);
    return by === 1 ? scenes.find((at) => at > t) : scenes.findLast((at) => at < t);
  });
  const found = times.filter((one) => one !== undefined);
  if (!found.length) return null;
  return by === 1 ? Math.min(...found) : Math.max(...found);
}

interface Ways {
  onFloor: (floor: number) => void;
  onAim: (aim: Aim) => void;
  onOpen: (n: number) => void;
  onZoom: (by: number) => void;
}

function keysOf(moves: FloorMoves, { floor, floors }: FloorPlayed, parts: Part[], ways: Ways): Key[] {
  const opening = parts.slice(0, 9).map(({ n }, k) => ({ key: `${k + 1}`, shown: `${k + 1}`, does: `Open episode ${n} here`, press: () => ways.onOpen(n) }));
  return [
    { key: " ", shown: "Space", does: "Play or pause", press: moves.play },
    { key: "ArrowRight", shown: "Right arrow", does: "The next line", press: () => moves.step(1) },
    { key: "ArrowLeft", shown: "Left arrow", does: "The line before", press: () => moves.step(-1) },
    { key: "u", shown: "U", does: "One floor up", press: () => floor < floors - 1 && ways.onFloor(floor + 1) },
    { key: "d", shown: "D", does: "One floor down", press: () => floor > 0 && ways.onFloor(floor - 1) },
    ...opening,
    { key: "0", shown: "0", does: "Camera: the whole floor", press: () => ways.onAim("whole") },
    { key: "+", shown: "+", does: "Camera: larger", press: () => ways.onZoom(1.3) },
    { key: "-", shown: "-", does: "Camera: smaller", press: () => ways.onZoom(1 / 1.3) },
  ];
}
