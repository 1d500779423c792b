// The episode on one strip of simulated time. Long waits are shortened, and busy minutes get more room.
import { useMemo } from "react";
import { clock } from "#/design/text.ts";
import { MARKS, type Mark } from "#/watch/log/marks.ts";
import type { LogItem } from "../types.ts";

type Lane = "said" | Exclude<Mark, "end">;
const LANES: [Lane, string][] = [
  ["said", "Said"],
  ["order", "Order"],
  ["evidence", "Evidence"],
  ["consult", "Consult"],
  ["thought", "Thought"],
  ["refusal", "Refused"],
];
const LONGEST_GAP = 8;
const HEIGHT = 16;

interface Tick {
  item: LogItem;
  lane: Lane;
  x: number;
}

export function Timeline({ items, chosen, onChoose }: { items: LogItem[]; chosen: number; onChoose: (n: number) => void }) {
  const { ticks, labels, lanes } = useMemo(() => placed(items), [items]);
  if (!ticks.length) return null;
  const now = ticks.findLast((one) => one.item.n <= chosen)?.x ?? 0;
  return (
    <figure className="timeline">
      <figcaption className="unseen">
        Timeline by simulated minute. The list of exchanges below holds the same, and can be used with a keyboard.
      </figcaption>
      <div className="lane-names small soft" aria-hidden>
        {lanes.map(([id, name]) => (
          <span key={id} style={{ height: HEIGHT }}>
            {name}
          </span>
        ))}
      </div>
      <div className="lanes" aria-hidden style={{ height: HEIGHT * lanes.length + 22 }}>
        {lanes.map(([id], k) => (
          <span key={id} className="lane" style={{ top: k * HEIGHT + HEIGHT / 2 }} />
        ))}
        <span className="playhead" style={{ left: `${now}%`, height: HEIGHT * lanes.length }} />
        {ticks.map(({ item, lane, x }) => (
          <span
            key={`${item.id} ${lane}`}
            className={`tick ${lane}`}
            style={{ left: `${x}%`, top: lanes.findIndex(([id]) => id === lane) * HEIGHT }}
            title={`${clock(item.minute)}, exchange ${item.n}`}
            onClick={() => onChoose(Math.max(1, item.n))}
          >
            {lane === "said" ? <i /> : <Shape mark={lane} />}
          </span>
        ))}
        {labels.map(({ minute, x }) => (
          <span key={minute} className="minute small soft" style={{ left: `${x}%` }}>
            {clock(minute)}
          </span>
        ))}
      </div>
    </figure>
  );
}

export function Shape({ mark, size = 11 }: { mark: Mark; size?: number }) {
  return (
    <svg viewBox="0 0 10 10" width={size} height={size} aria-hidden focusable="false" className={`shape mark-${mark}`}>
      <path d={MARKS[mark].shape} fillRule="evenodd" fill="currentColor" />
    </svg>
  );
}

/** Where each item stands, in per cent: a minute is as wide as what happens in it needs. */
function placed(items: LogItem[]) {
  const found: { item: LogItem; lane: Lane; at: number }[] = [];
  const labelled: { minute: number; at: number }[] = [];
  let at = 0;
  let minute = items[0]?.minute ?? 0;
  for (const item of items) {
    const kinds = lanesOf(item);
    if (!kinds.length) continue;
    at += item.minute > minute ? Math.min(LONGEST_GAP, item.minute - minute) : found.length ? 1 : 0;
    if (item.minute > minute || !labelled.length) labelled.push({ minute: item.minute, at });
    minute = Math.max(minute, item.minute);
    for (const lane of kinds) found.push({ item, lane, at });
  }
  const whole = Math.max(1, at) / 98;
  let last = -100;
  const labels = labelled
    .map(({ minute, at }) => ({ minute, x: at / whole }))
    .filter(({ x }) => x - last >= 9 && x <= 95 && ((last = x), true));
  return {
    ticks: found.map(({ item, lane, at }): Tick => ({ item, lane, x: at / whole })),
    labels,
    lanes: LANES.filter(([id]) => found.some(({ lane }) => lane === id)),
  };
}

function lanesOf(item: LogItem): Lane[] {
  if (item.mark && item.mark !== "end") return [item.mark];
  return item.event && item.lines.some(({ kind }) => kind === "said") ? ["said"] : [];
}
