// What was found so far, and what is under way.
import { clock, visible } from "#/design/text.ts";
import { Icon } from "#/design/Icon.tsx";
import type { Result } from "#/practise/talk/items.ts";
import { ResultCard } from "#/practise/talk/ResultCard.tsx";

export function Findings({
  results,
  pending,
  onRead,
}: {
  results: Result[];
  pending: { name: string; ready: number; order: number }[];
  /** Left out where the reading is written beside, in the talk. */
  onRead?: (item: string, words: string) => Promise<void>;
}) {
  return (
    <section className="stack" aria-label="Findings">
      <h2>Findings</h2>
      {pending.length > 0 && (
        <>
          <h3>Under way</h3>
          <ul className="board">
            {pending.map((one) => (
              <li key={`${one.order} ${one.name}`}>
                <span className="row" style={{ flexWrap: "nowrap" }}>
                  <Icon name="wait" size={18} /> {visible(one.name)}
                </span>
                <span>ready at {clock(one.ready)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {results.length === 0 && pending.length === 0 && (
        <p className="soft">Nothing yet. Examinations, tests and images you order are collected here.</p>
      )}
      {[...results].reverse().map((result) => (
        <ResultCard key={result.id} result={result} {...(onRead ? { onRead } : {})} />
      ))}
    </section>
  );
}
