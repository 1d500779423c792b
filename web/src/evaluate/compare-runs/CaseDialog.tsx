// The worlds of a case: from each run's episode to both transcripts beside each other, and to its marks with their quotes.
import { Link } from "wouter";
import { Dialog } from "#/design/Dialog.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { comparePath, tracePath } from "../address.ts";
import { useCaseWorlds } from "../queries.ts";
import type { Figure, MatrixRow, WorldRow } from "../types.ts";
import { number, plain, value } from "../words.ts";
import { Letter, letter } from "./letters.tsx";
import { STATES } from "./MatrixTable.tsx";

export function CaseDialog({ row, names, kind, onClose }: { row: MatrixRow; names: string[]; kind: Figure["kind"]; onClose: () => void }) {
  const { data, error, refetch } = useCaseWorlds(names, row.hash);
  return (
    <Dialog open onClose={onClose} heading={visible(row.case)} wide>
      <p className="soft">{capital(visible(row.specialty))}. The same world is the same patient, seed and chance in each run.</p>
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          {data.worlds.map((world) => (
            <World key={world.world} world={world} names={names} kind={kind} />
          ))}
          {data.total > data.worlds.length && (
            <p className="soft">The first {number(data.worlds.length)} of {number(data.total)} worlds; the rest stand in the lists of the runs.</p>
          )}
        </>
      )}
    </Dialog>
  );
}

function World({ world, names, kind }: { world: WorldRow; names: string[]; kind: Figure["kind"] }) {
  const baseline = world.runs[0];
  return (
    <section className="stack world">
      <h3>{capital(visible(world.world))}</h3>
      <ul>
        {world.runs.map((at, k) => {
          const name = names[k] ?? "";
          const state = STATES[at.state];
          return (
            <li key={name}>
              <span>
                <Letter at={k} /> {visible(name)}
              </span>
              <span className={`run-outcome is-${state.look}`}>
                {at.state === "scored" ? <b>{value(kind, at.value)}</b> : <span aria-hidden className="sign">{state.sign}</span>}
                {at.state === "right, unsupported" ? at.state : state.text}
                {at.ending && at.ending !== "completed" && <span className="soft small"> {visible(plain(at.ending))}</span>}
              </span>
              {at.ordinal !== null && (
                <span className="row spread">
                  <Link href={tracePath(name, at.ordinal)} aria-label={`Transcript and marks of ${letter(k)}`}>
                    Transcript and marks
                  </Link>
                  {k > 0 && baseline && baseline.ordinal !== null && (
                    <Link
                      href={comparePath(`${names[0]}:${baseline.ordinal}`, `${name}:${at.ordinal}`)}
                      aria-label={`Transcripts side by side: ${letter(k)} and the baseline`}
                    >
                      Transcripts side by side
                    </Link>
                  )}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
