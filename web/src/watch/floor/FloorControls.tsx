// The player of a floor: one scrubber and one set of buttons for all that is played on it.
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import type { Place } from "#/hospital/clock.ts";
import { SPEED_CHOICES, type Speed } from "../player/Controls.tsx";

export interface FloorMoves {
  play: () => void;
  seek: (t: number) => void;
  step: (by: 1 | -1) => void;
  follow: () => void;
}

export interface FloorControlsProps {
  place: Place;
  end: number;
  /** The clocks of all, in words. */
  words: string;
  moves: FloorMoves;
  speed: Speed;
  onSpeed: (speed: Speed) => void;
  /** Whether more will come. */
  live: boolean;
  children: React.ReactNode;
}

const BY_KEY: Record<string, 1 | -1> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

export function FloorControls({ place, end, words, moves, speed, onSpeed, live, children }: FloorControlsProps) {
  return (
    <section className="controls" aria-label="Player of the floor">
      <div className="scrubber">
        <input
          type="range"
          min={0}
          max={end}
          step={1}
          value={Math.round(place.t)}
          aria-label="Place on the floor"
          aria-valuetext={words}
          onKeyDown={(event) => {
            const by = BY_KEY[event.key];
            if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            moves.step(by);
          }}
          onChange={(event) => moves.seek(Number(event.target.value))}
        />
      </div>
      <div className="row player-buttons">
        <Button onPress={() => moves.step(-1)} aria-label="The line before">
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
        <Button onPress={() => moves.step(1)} aria-label="The next line">
          <Icon name="next" />
        </Button>
        <Choose label="Speed" value={speed} onChange={onSpeed} options={SPEED_CHOICES} />
        {live && (
          <Button onPress={moves.follow} isDisabled={place.following}>
            {place.following ? (place.t < end ? "Catching up" : "You see the newest line") : "Catch up"}
          </Button>
        )}
        {children}
      </div>
    </section>
  );
}
