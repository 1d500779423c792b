// The lift: the floors of a run, how the episodes of each stand, and the way to any of them.
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { Button } from "#/design/Button.tsx";
import { visible } from "#/design/text.ts";
import { number } from "#/evaluate/words.ts";
import { counted, Dot } from "./states.tsx";
import type { Floor } from "./useFloors.ts";

export interface LiftProps {
  floors: Floor[];
  /** How many there are in all. */
  total: number;
  at: number;
  pathOf: (floor: number) => string;
  onGo: (floor: number) => void;
  more: (() => void) | null;
}

export function Lift({ floors, total, at, pathOf, onGo, more }: LiftProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const box = list.current;
    const here = box?.querySelector<HTMLElement>("[aria-current]");
    // Only the list scrolls, not the page.
    if (box && here) box.scrollTop = here.offsetTop - box.clientHeight / 2;
  }, [at]);
  return (
    <nav className="lift" aria-label="Lift">
      <div className="row lift-buttons">
        <Button onPress={() => onGo(at - 1)} isDisabled={at <= 0} aria-label="One floor down">
          <span aria-hidden>▼</span>
        </Button>
        <Button onPress={() => onGo(at + 1)} isDisabled={at >= total - 1} aria-label="One floor up">
          <span aria-hidden>▲</span>
        </Button>
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            const wanted = new FormData(event.currentTarget).get("floor");
            if (wanted) onGo(Math.min(total - 1, Math.max(0, Math.trunc(Number(wanted)))));
          }}
        >
          <input key={at} className="input" name="floor" type="number" min={0} max={total - 1} step={1} defaultValue={at} inputMode="numeric" aria-label="Floor" />
          <Button type="submit">Go</Button>
        </form>
      </div>
      <p className="small soft">
        {number(total)} floors, from 0 to {number(total - 1)}
      </p>
      <ol ref={list} aria-label="Floors">
        {floors.map(({ floor, episodes }) => (
          <li key={floor}>
            <Link href={pathOf(floor)} className="lift-floor" aria-current={floor === at ? "page" : undefined}>
              <b>
                <span className="unseen">Floor </span>
                {number(floor)}
              </b>
              <span className="lift-dots" aria-hidden>
                {episodes.map(({ n, status }) => (
                  <Dot key={n} status={status} />
                ))}
              </span>
              <span className="small">
                <span className="unseen">: </span>
                {visible(counted(episodes.map(({ status }) => status)))}
              </span>
            </Link>
          </li>
        ))}
        {more && (
          <li>
            <Button look="quiet" onPress={more}>
              More floors
            </Button>
          </li>
        )}
      </ol>
    </nav>
  );
}
