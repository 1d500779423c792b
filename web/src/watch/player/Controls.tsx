// The scrubber with its marks, the two clocks, and the buttons.
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { clock, plural } from "#/design/text.ts";
import { Shape } from "#/evaluate/trace/Timeline.tsx";
import type { LogItem } from "#/evaluate/types.ts";
import { KINDS, MARKS } from "../log/marks.ts";
import { SPEEDS, type Playhead, type Speed } from "./playing.ts";

export interface ControlsProps {
  items: LogItem[];
  head: Playhead;
  to: (at: number) => void;
  exchange: (by: 1 | -1) => void;
  exchanges: number;
  speed: Speed;
  onSpeed: (speed: Speed) => void;
  ended: boolean;
}

export function Controls({ items, head, to, exchange, exchanges, speed, onSpeed, ended }: ControlsProps) {
  const item = items[head.at]!;
  const last = items.length - 1;
  const behind = last - head.at;
  const clocks = `${clock(item.minute)}, exchange ${item.n} of ${exchanges}`;
  return (
    <section className="controls card" aria-label="Player">
      <div className="row spread clocks">
        <span>
          <span className="unseen">Simulated time: </span>
          <b className="big-clock">{clock(item.minute)}</b> <span className="soft">simulated</span>
        </span>
        <span>
          exchange <b>{item.n}</b> of {exchanges}
        </span>
      </div>
      <div className="scrubber">
        <div className="scrub-marks" aria-hidden>
          {items.map((one, k) =>
            one.mark ? (
              <button
                key={one.id}
                type="button"
                tabIndex={-1}
                className="scrub-mark"
                style={{ left: `${last ? (100 * k) / last : 0}%` }}
                title={`${MARKS[one.mark].word}, ${clock(one.minute)}`}
                onClick={() => to(k)}
              >
                <Shape mark={one.mark} />
              </button>
            ) : null,
          )}
        </div>
        <input
          type="range"
          min={0}
          max={last}
          step={1}
          value={head.at}
          aria-label="Place in the encounter"
          aria-valuetext={clocks}
          onChange={(event) => to(Number(event.target.value))}
        />
      </div>
      <div className="row player-buttons">
        <Button onPress={() => exchange(-1)} aria-label="The exchange before">
          <Icon name="back" />
        </Button>
        <Button look="main" onPress={() => head.play(!head.playing)} className="play">
          {head.playing ? (
            <>
              <Icon name="pause" /> Pause
            </>
          ) : (
            "Play"
          )}
        </Button>
        <Button onPress={() => exchange(1)} aria-label="The next exchange">
          <Icon name="next" />
        </Button>
        <Choose
          label="Speed"
          value={speed}
          onChange={onSpeed}
          options={SPEEDS.map((id) => ({ id, text: id === "instant" ? "At once" : `${id} ×` }))}
        />
        {!ended && (
          <Button onPress={() => (head.goTo(last), head.play(true))} isDisabled={behind === 0}>
            {behind ? `Catch up (${plural(behind, "line")})` : "You see the newest line"}
          </Button>
        )}
      </div>
      <div className="row jumps">
      <span className="small soft" aria-hidden>Jump to the next</span>
      <ul className="row" aria-label="Jump to the next">
        {KINDS.map((kind) => {
          const count = items.filter((one) => one.mark === kind).length;
          const next = items.findIndex((one, k) => k > head.at && one.mark === kind);
          if (!count) return null;
          return (
            <li key={kind}>
              <Button look="quiet" onPress={() => to(next)} isDisabled={next < 0} aria-label={`Next: ${MARKS[kind].word}, ${count} in all`}>
                <Shape mark={kind} size={13} /> {MARKS[kind].word} <span className="soft small">{count}</span>
              </Button>
            </li>
          );
        })}
      </ul>
      </div>
    </section>
  );
}
