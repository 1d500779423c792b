// Compared runs by their letters, as the terminal names them.
import { Link } from "wouter";
import { visible } from "#/design/text.ts";
import { runPath } from "../address.ts";
import type { RunLine } from "../types.ts";

export const FEWEST_RUNS = 2;
export const MOST_RUNS = 8;

/** The list of cases, by its id in the page. */
export const CASES = "cases";

export const letter = (place: number) => "ABCDEFGH".charAt(place);

export function Letter({ at }: { at: number }) {
  return <span className={`letter l${at}`}>{letter(at)}</span>;
}

export function RunName({ run, at }: { run: RunLine; at: number }) {
  return (
    <span className="run-letter">
      <Letter at={at} /> <Link href={runPath(run.name)}>{visible(run.name)}</Link>
    </span>
  );
}

/** What a run is called beside its letter: its player where no other of the runs has the same, else its own name. */
export function titleOf(runs: RunLine[], at: number) {
  const run = runs[at];
  if (!run) return "";
  return visible(run.player && runs.filter((one) => one.player === run.player).length === 1 ? run.player : run.name);
}
