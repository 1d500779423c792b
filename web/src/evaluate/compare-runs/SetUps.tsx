// What differs in the set-up of the runs: before any figure, for it may explain one.
import { capital, plural, visible } from "#/design/text.ts";
import type { RunsCompared } from "../types.ts";
import { Letter, letter } from "./letters.tsx";

export function SetUps({ data: { runs, set_up, alike } }: { data: RunsCompared }) {
  const groups = [...new Set(set_up.map((line) => line.group))];
  return (
    <section className="stack">
      <h2>What differs in their set-up</h2>
      {set_up.length === 0 ? (
        <p>Nothing: all {plural(alike, "setting")} are the same.</p>
      ) : (
        <>
          <div className="scrolls" tabIndex={0} role="region" aria-label="Settings that differ">
            <table className="grid stacks">
              <thead>
                <tr>
                  <th scope="col">Setting</th>
                  {runs.map((run, k) => (
                    <th key={run.name} scope="col">
                      <Letter at={k} /> {visible(run.name)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {groups.flatMap((group) =>
                  set_up
                    .filter((line) => line.group === group)
                    .map((line) => (
                      <tr key={`${group} ${line.name}`}>
                        <th scope="row">
                          {capital(visible(line.name))}
                          <span className="soft small means">{group}</span>
                        </th>
                        {line.values.map((text, k) => (
                          <td key={k} data-of={letter(k)} className="setting">
                            {text ? visible(text) : <span className="soft">not set</span>}
                          </td>
                        ))}
                      </tr>
                    )),
                )}
              </tbody>
            </table>
          </div>
          <p className="soft small">{plural(alike, "other setting")} {alike === 1 ? "is" : "are"} the same in all.</p>
        </>
      )}
    </section>
  );
}
