// The part of a new room's form for a station clock, and for debriefs that wait.
import { Tick } from "#/design/Fields.tsx";
import { Amount } from "./Amount.tsx";
import { Fold } from "./Fold.tsx";

interface Clock {
  on: boolean;
  reading: string;
  minutes: string;
  bell: string;
}

interface StationClockProps {
  clock: Clock;
  change: (now: Clock) => void;
  heldBack: boolean;
  holdBack: (on: boolean) => void;
}

export function StationClock({ clock, change, heldBack, holdBack }: StationClockProps) {
  return (
    <Fold
      heading="A station clock"
      now={clock.on ? `${clock.reading} s to read, ${clock.minutes} min, bell ${clock.bell} s before the end` : "none"}
    >
      <Tick
        checked={clock.on}
        onChange={(on) => {
          change({ ...clock, on });
          holdBack(on);
        }}
      >
        Run the clock, as in an examination
      </Tick>
      {clock.on && (
        <div className="pairs">
          <Amount label="Reading time, seconds" value={clock.reading} onChange={(reading) => change({ ...clock, reading })} />
          <Amount label="Minutes" value={clock.minutes} onChange={(minutes) => change({ ...clock, minutes })} />
          <Amount label="Bell before the end, seconds" value={clock.bell} onChange={(bell) => change({ ...clock, bell })} />
        </div>
      )}
      <Tick checked={heldBack} onChange={holdBack}>
        Hold back the debriefs until I release them on the board
      </Tick>
      <p className="soft small">
        With a clock a station is taken once. On the board you can give a learner more time, or let one begin again.
      </p>
    </Fold>
  );
}
