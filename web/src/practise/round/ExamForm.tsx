// Questions for one student alone: options to choose from, or a field for words.
import { useState } from "react";
import type { Move } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { OneOf, TextBox } from "#/design/Fields.tsx";
import { plural, visible } from "#/design/text.ts";
import { useKept } from "#/practise/sitting/kept.ts";
import type { Question } from "./log.ts";

export function ExamForm({
  draft,
  when,
  items,
  onMove,
  busy,
}: {
  /** The key under which the answers are kept while they are written. */
  draft: string;
  when: string;
  items: Question[];
  onMove: (move: Move) => void;
  busy: boolean;
}) {
  const [answers, setAnswers] = useKept<Record<string, string>>(draft, {});
  const [asked, setAsked] = useState(false);
  const given = items.filter((item) => (answers[item.id] ?? "").trim()).length;
  const missing = items.length - given;
  const unchosen = items.filter((item) => item.options && !answers[item.id]).length;
  const set = (id: string, answer: string) => {
    setAsked(false);
    setAnswers({ ...answers, [id]: answer });
  };
  return (
    <form
      className="exam"
      aria-label={`Questions ${when} the rounds`}
      onSubmit={(event) => {
        event.preventDefault();
        if (unchosen || (missing && !asked)) setAsked(true);
        else onMove({ answers: Object.fromEntries(items.map(({ id }) => [id, (answers[id] ?? "").trim()])) });
      }}
    >
      <div>
        <h2>
          {plural(items.length, "question")} {when} the rounds
        </h2>
        <p className="soft">For you alone: nobody on the round sees your answers.</p>
      </div>
      <ol className="questions">
        {items.map((item, k) => (
          <li key={item.id} className="card">
            {item.options ? (
              <OneOf
                label={`${k + 1}. ${visible(item.question)}`}
                options={Object.entries(item.options).map(([id, text]) => ({ id, text: `${id}: ${visible(text)}` }))}
                value={answers[item.id] ?? null}
                onChange={(answer) => set(item.id, answer)}
              />
            ) : (
              <TextBox
                label={`${k + 1}. ${visible(item.question)}`}
                lines={2}
                max={4000}
                value={answers[item.id] ?? ""}
                onChange={(answer) => set(item.id, answer)}
              />
            )}
          </li>
        ))}
      </ol>
      <div className="row">
        <Button type="submit" look="main" isDisabled={busy}>
          {asked && !unchosen ? "Hand in all the same" : "Hand in"}
        </Button>
        <p role="status">
          {!asked
            ? `${given} of ${items.length} answered`
            : unchosen
              ? `Choose one of the options first: ${plural(unchosen, "question")} left.`
              : `${plural(missing, "question")} without an answer.`}
        </p>
      </div>
    </form>
  );
}
