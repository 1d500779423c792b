// The scrubber with its marks, the two clocks, and the buttons.
import { memo, useCallback, useRef, type KeyboardEvent } from "react";
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { clock as clocked, plural } from "#/design/text.ts";
import { Shape } from "#/evaluate/trace/Timeline.tsx";
import type { Place } from "#/hospital/clock.ts";
import { KINDS, MARKS, type Mark } from "../log/marks.ts";
import type { Row } from "./rows.ts";
import type { Limit } from "./evidence.ts";

export const SPEEDS = ["0.5", "1", "2", "4", "8", "16", "instant"] as const;
export type Speed = (typeof SPEEDS)[number];
/** The speeds in words. */
export const SPEED_CHOICES = SPEEDS.map((id) => ({ id, text: id === "instant" ? "At once" : `${id} ×` }));

export interface Moves {
  play: () => void;
  seek: (t: number) => void;
  row: (index: number) => void;
  step: (by: 1 | -1) => void;
  exchange: (by: 1 | -1) => void;
  mark: (by: 1 | -1, mark?: Mark) => void;
  follow: () => void;
}

export interface ControlsProps {
  rows: Row[];
  at: number;
  place: Place;
  end: number;
  minute: number;
  exchanges: number;
  limits: Limit[];
  moves: Moves;
  speed: Speed;
  onSpeed: (speed: Speed) => void;
  ended: boolean;
}

export function Controls({ rows, at, place, end, minute, exchanges, limits, moves, speed, onSpeed, ended }: ControlsProps) {
  const n = rows[at]?.item.n ?? 0;
  const behind = rows.length - 1 - at;
  const clocks = `${clocked(minute)}, exchange ${n} of ${exchanges}`;
  return (
    <section className="controls" aria-label="Player">
      <div className="row spread clocks">
        <span>
          <span className="unseen">Simulated time: </span>
          <b className="big-clock">{clocked(minute)}</b> <span className="soft">simulated</span>
        </span>
        {limits.length > 0 && (
          <span className="small soft limits-line">
            left: {limits.map(({ name, left }) => `${left} ${name}`).join(", ")}
          </span>
        )}
        <span>
          exchange <b>{n}</b> of {exchanges}
        </span>
      </div>
      <Scrubber rows={rows} t={place.t} end={end} words={clocks} moves={moves} />
      <div className="row player-buttons">
        <Button onPress={() => moves.exchange(-1)} aria-label="The exchange before">
          <Icon name="back" />
        </Button>
        <Button look="main" onPress={moves.play} className="play">
          {place.playing ? (
            <>
              <Icon name="pause" /> Pause
            </>
          ) : (
            "Play"
          )}
        </Button>
        <Button onPress={() => moves.exchange(1)} aria-label="The next exchange">
          <Icon name="next" />
        </Button>
        <Choose
          label="Speed"
          value={speed}
          onChange={onSpeed}
          options={SPEED_CHOICES}
        />
        {!ended && (
          <Button onPress={moves.follow} isDisabled={place.following}>
            {place.following ? (behind ? `Catching up (${plural(behind, "line")})` : "You see the newest line") : `Catch up (${plural(behind, "line")})`}
          </Button>
        )}
        <Jumps rows={rows} at={at} moves={moves} />
      </div>
    </section>
  );
}

function Scrubber({ rows, t, end, words, moves }: { rows: Row[]; t: number; end: number; words: string; moves: Moves }) {
  // A step by arrow is a line, and not a thousandth of a second.
  const keys: Record<string, () => void> = {
    ArrowRight: () => moves.step(1),
    ArrowUp: () => moves.step(1),
    ArrowLeft: () => moves.step(-1),
    ArrowDown: () => moves.step(-1),
    PageUp: () => moves.exchange(1),
    PageDown: () => moves.exchange(-1),
  };
  const latest = useRef(moves);
  latest.current = moves;
  const onRow = useCallback((index: number) => latest.current.row(index), []); // so that the marks are not drawn again
  const press = (event: KeyboardEvent) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <div className="scrubber">
      <Marks rows={rows} end={end} onRow={onRow} />
      <input
        type="range"
        min={0}
        max={end}
        step={1}
        value={Math.round(t)}
        aria-label="Place in the encounter"
        aria-valuetext={words}
        onKeyDown={press}
        onChange={(event) => moves.seek(Number(event.target.value))}
      />
    </div>
  );
}

/** The moments that are marked, where they stand on the scrubber: for pointers; the buttons below jump to them, too. */
const Marks = memo(function Marks({ rows, end, onRow }: { rows: Row[]; end: number; onRow: (index: number) => void }) {
  return (
    <div className="scrub-marks" aria-hidden>
      {rows.map(({ item, t0 }, k) =>
        item.mark ? (
          <button
            key={item.id}
            type="button"
            tabIndex={-1}
            className="scrub-mark"
            style={{ left: `${end ? (100 * t0) / end : 0}%` }}
            title={`${MARKS[item.mark].word}, ${clocked(item.minute)}`}
            onClick={() => onRow(k)}
          >
            <Shape mark={item.mark} />
          </button>
        ) : null,
      )}
    </div>
  );
});

function Jumps({ rows, at, moves }: { rows: Row[]; at: number; moves: Moves }) {
  return (
    <ul className="row jumps" aria-label="Jump to the next">
      {KINDS.map((kind) => {
        const count = rows.filter(({ item }) => item.mark === kind).length;
        const next = rows.findIndex(({ item }, k) => k > at && item.mark === kind);
        if (!count) return null;
        return (
          <li key={kind}>
            <Button
              look="quiet"
              onPress={() => moves.row(next)}
              isDisabled={next < 0}
              aria-label={`Next: ${MARKS[kind].word}, ${count} in all`}
            >
              <Shape mark={kind} size={13} /> {MARKS[kind].word} <span className="soft small">{count}</span>
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
