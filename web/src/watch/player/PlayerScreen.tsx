// One encounter played again, or followed while it goes on, through the eyes one chooses.
import "./player.css";
import { useEffect, useMemo, useRef, useState } from "react";
import { useParams } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Pills } from "#/design/Fields.tsx";
import { Keys } from "#/design/Keys.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { runPath, tracePath, useAddress } from "#/evaluate/address.ts";
import { WhatIf } from "#/evaluate/branch/WhatIf.tsx";
import { Crumbs } from "#/evaluate/Crumbs.tsx";
import { SaveEpisode } from "#/evaluate/SaveEpisode.tsx";
import { useEpisode } from "#/evaluate/queries.ts";
import type { EpisodeDetail, LogItem } from "#/evaluate/types.ts";
import { number, plain } from "#/evaluate/words.ts";
import { hasWords } from "../log/LogRow.tsx";
import { KINDS, MARKS, type Mark } from "../log/marks.ts";
import { Controls } from "./Controls.tsx";
import { indexOf, SPEEDS, stepByExchange, usePlayhead, type Speed } from "./playing.ts";
import { Shown } from "./Shown.tsx";
import { useGrowingLog } from "./useGrowingLog.ts";

export default function PlayerScreen() {
  const { run = "", n = "0" } = useParams();
  const episode = useEpisode(run, Number(n));
  if (episode.error && !episode.data)
    return (
      <>
        <h1 className="unseen">Episode {n}</h1>
        <Fault error={episode.error} again={() => void episode.refetch()} />
      </>
    );
  if (!episode.data) return <Loading>Opening the encounter</Loading>;
  return <Eyes episode={episode.data} />;
}

/** Chooses the view, which the server makes: what a view may not hold never comes here. */
function Eyes({ episode }: { episode: EpisodeDetail }) {
  const { run, line, views } = episode;
  const { get, set } = useAddress();
  const wanted = get("view") || views[0] || "doctor";
  const log = useGrowingLog(run, line.ordinal, wanted);
  const items = useMemo(() => withEnd((log.data?.items ?? []).filter(hasWords), !!log.data?.ended), [log.data]);
  return (
    <div className="stack wide-page player">
      <Crumbs
        steps={[
          ["Runs", "/evaluate"],
          ...(episode.title ? [] : [[run, runPath(run)] as [string, string]]),
          [episode.title || `Episode ${line.ordinal}`, tracePath(run, line.ordinal)],
        ]}
      />
      <div className="row spread">
        <h1>{episode.title ? `Watch: ${visible(episode.title)}` : `Watch episode ${number(line.ordinal)}${line.case && `: ${visible(line.case)}`}`}</h1>
        {!episode.ended && <Badge look="own">being played</Badge>}
      </div>
      <Pills
        label="Whose eyes"
        value={wanted}
        onChange={(view) => set({ view })}
        options={views.map((id) => ({ id, text: eyes(id) }))}
      />
      {episode.hidden && <p className="soft">{capital(visible(episode.hidden))}.</p>}
      {log.error && !log.data ? (
        <Fault error={log.error} again={() => void log.refetch()} />
      ) : !log.data ? (
        <Loading>Opening the encounter</Loading>
      ) : items.length === 0 ? (
        <Empty heading="Nothing is recorded yet">
          <p>{log.data.ended ? "In this view nothing was said or done." : "It appears here as soon as it happens."}</p>
        </Empty>
      ) : (
        <Player key={wanted} episode={episode} items={items} ended={log.data.ended} view={wanted} />
      )}
    </div>
  );
}

/** The items of an ended log, of which the last is the end, if its view was not told so. */
function withEnd(items: LogItem[], ended: boolean): LogItem[] {
  const last = items.at(-1);
  if (!ended || !last || last.mark || items.some(({ mark }) => mark === "end")) return items;
  return [...items.slice(0, -1), { ...last, mark: "end" }];
}

function eyes(view: string): string {
  if (view === "room") return "The room";
  if (view === "all") return "Everything";
  return `${capital(plain(view))}'s eyes`;
}

const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function Player({ episode, items, ended, view }: { episode: EpisodeDetail; items: LogItem[]; ended: boolean; view: string }) {
  const { run, line } = episode;
  const { get, set } = useAddress();
  const [speed, setSpeed] = useState<Speed>(SPEEDS.find((one) => one === get("speed")) ?? "1");
  const [branching, setBranching] = useState(false);
  const start = get("at");
  const head = usePlayhead(items, start ? indexOf(items, start) : ended ? 0 : items.length - 1, speed, start === "" && !calm());
  const item = items[head.at]!;
  const exchanges = items.at(-1)!.n;
  useKept(item.id, head.playing, (at) => set({ at }));

  const to = (at: number) => {
    head.play(false);
    head.goTo(at);
  };
  const exchange = (by: 1 | -1) => to(stepByExchange(items, head.at, by));
  const toMark = (by: 1 | -1, mark?: Mark) => {
    const wanted = (one: LogItem) => (mark ? one.mark === mark : one.mark !== null);
    const found = by === 1 ? items.findIndex((one, k) => k > head.at && wanted(one)) : items.findLastIndex((one, k) => k < head.at && wanted(one));
    if (found >= 0) to(found);
  };
  const keys = [
    { key: " ", shown: "Space", does: "Play or pause", press: () => head.play(!head.playing) },
    { key: "ArrowRight", shown: "Right arrow", does: "The next line", press: () => to(head.at + 1) },
    { key: "ArrowLeft", shown: "Left arrow", does: "The line before", press: () => to(head.at - 1) },
    { key: "Shift+ArrowRight", shown: "Shift + right", does: "The next exchange", press: () => exchange(1) },
    { key: "Shift+ArrowLeft", shown: "Shift + left", does: "The exchange before", press: () => exchange(-1) },
    { key: "m", shown: "M", does: "The next mark", press: () => toMark(1) },
    { key: "Shift+M", shown: "Shift + M", does: "The mark before", press: () => toMark(-1) },
    ...KINDS.flatMap((mark) => {
      const { key, word } = MARKS[mark];
      const name = key.toUpperCase();
      return [
        { key, shown: name, does: `Next: ${word.toLowerCase()}`, press: () => toMark(1, mark) },
        { key: `Shift+${name}`, shown: `Shift + ${name}`, does: `Before: ${word.toLowerCase()}`, press: () => toMark(-1, mark) },
      ];
    }),
  ];
  return (
    <>
      <Shown items={items} at={head.at} onChoose={(one) => to(items.indexOf(one))} />
      <Controls
        items={items}
        head={head}
        to={to}
        exchange={exchange}
        exchanges={exchanges}
        speed={speed}
        onSpeed={setSpeed}
        ended={ended}
      />
      <div className="row">
        <LinkButton href={`${tracePath(run, line.ordinal)}?e=${Math.max(1, item.n)}`}>Trace from here</LinkButton>
        {episode.ended && <Button onPress={() => (head.play(false), setBranching(true))}>What if? Or take the chair</Button>}
        <Keys keys={keys} />
      </div>
      <SaveEpisode episode={episode} view={view} />
      {branching && (
        <WhatIf
          episode={episode}
          at={{ n: Math.max(1, item.n), seat: item.seat, words: item.lines[0]?.text ?? "" }}
          onClose={() => setBranching(false)}
        />
      )}
    </>
  );
}

/** Keeps the instant in the address: at once when it stands still, now and then while it plays. */
function useKept(id: string, playing: boolean, keep: (id: string) => void) {
  const tell = useRef(keep);
  tell.current = keep;
  const kept = useRef({ id, at: 0 });
  useEffect(() => {
    if (kept.current.id === id) return;
    if (playing && Date.now() - kept.current.at < 3_000) return;
    kept.current = { id, at: Date.now() };
    tell.current(id);
  }, [id, playing]);
}
