// The bedside: the chart as it grows round by round, with its pictures; and the tutor's plan, for the tutor alone.
import { Badge } from "#/design/Badge.tsx";
import { Icon } from "#/design/Icon.tsx";
import { visible } from "#/design/text.ts";
import { ResultCard } from "#/practise/talk/ResultCard.tsx";
import type { Entry, RoundView } from "./log.ts";

export function Chart({ entries, onRead }: { entries: Entry[]; onRead?: (item: string, words: string) => Promise<void> }) {
  const rounds = [...new Set(entries.map((one) => one.round))].sort((a, b) => b - a);
  return (
    <section className="stack" aria-label="Chart">
      <h2>Chart</h2>
      {entries.length === 0 && <p className="soft">Nothing yet. Results come round by round.</p>}
      {rounds.map((round) => (
        <div key={round} className="stack">
          <h3>{round ? `Round ${round}` : "From the beginning"}</h3>
          {entries
            .filter((one) => one.round === round)
            .map(({ result }) => (
              <ResultCard key={result.id} result={result} level={4} {...(onRead ? { onRead } : {})} />
            ))}
        </div>
      ))}
    </section>
  );
}

export const NOT_COUNTED = "Ticked, but not counted: no student has made this point yet in words that were recognised.";

export function Plan({ view, covered, counted }: { view: RoundView; covered: number[]; counted: number[] }) {
  const imageOf = (id: string) => view.images.find((one) => one.id === id)?.name ?? "an image";
  return (
    <section className="stack" aria-label="Plan, for you alone">
      <h2>Plan</h2>
      <p className="only">
        <Icon name="lock" size={16} /> For you alone: the group sees neither the answer nor the steps.
      </p>
      <h3>The answer</h3>
      <p>{visible(view.answer ?? "")}</p>
      <h3>Steps</h3>
      <ol className="stack">
        {(view.steps ?? []).map((step) => (
          <li key={step.number} className="card">
            <p>
              <b>
                {step.number}. {visible(step.key_question)}
              </b>
            </p>
            <p>{visible(step.summary)}</p>
            {step.image && <p className="soft small">With {visible(imageOf(step.image))}</p>}
            {counted.includes(step.number) ? (
              <p>
                <Badge look="good">covered</Badge>
              </p>
            ) : (
              covered.includes(step.number) && <p className="soft small">{NOT_COUNTED}</p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
