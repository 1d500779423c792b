// What a student or the tutor is asked for in a round: thoughts, questions, or guidance.
import type { Move } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { TextBox, Tick } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { visible } from "#/design/text.ts";
import { useKept } from "#/practise/sitting/kept.ts";
import { SayBox } from "#/practise/talk/SayBox.tsx";
import { NOT_COUNTED } from "./Bedside.tsx";
import type { RoundView } from "./log.ts";

interface FormProps {
  /** The key under which the words are kept while they are written. */
  draft: string;
  onMove: (move: Move) => void;
  busy: boolean;
}

export function AnalyseForm({ draft, onMove, busy, answering }: FormProps & { answering: boolean }) {
  const [words, setWords] = useKept(draft, "");
  return (
    <div className="round-form">
      <p className="only">
        <Icon name="lock" size={16} />
        <span>
          {answering ? "Your answer to the tutor, and what you think now." : "What do you think so far?"} Only the tutor hears
          this.
        </span>
      </p>
      <SayBox
        label="Your thoughts, for the tutor"
        verb="Tell"
        value={words}
        onChange={setWords}
        busy={busy}
        onSay={() => onMove({ analysis_for_teacher: words.trim() })}
      />
    </div>
  );
}

export function ActForm({ draft, onMove, busy, view }: FormProps & { view: RoundView }) {
  const [asked, setAsked] = useKept(draft, { patient: "", expert: "" });
  const nothing = !asked.patient.trim() && !asked.expert.trim();
  return (
    <form
      className="round-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onMove({ query_for_patient: asked.patient.trim() || null, query_for_expert: asked.expert.trim() || null });
      }}
    >
      {view.has_patient && (
        <TextBox
          label="Ask the patient"
          hint="Everybody at the bedside hears it."
          lines={2}
          max={4000}
          value={asked.patient}
          onChange={(patient) => setAsked({ ...asked, patient })}
        />
      )}
      {view.has_expert && (
        <TextBox
          label="Ask the expert"
          hint={`The expert knows medicine, not this patient. ${view.all_hear_expert ? "The whole group hears it, and the answer." : "Nobody else hears it."}`}
          lines={2}
          max={4000}
          value={asked.expert}
          onChange={(expert) => setAsked({ ...asked, expert })}
        />
      )}
      <div>
        <Button type="submit" look={nothing ? "plain" : "main"} isDisabled={busy}>
          {nothing ? "Ask nothing" : "Ask"}
        </Button>
      </div>
    </form>
  );
}

export function GuideForm({
  draft,
  onMove,
  busy,
  view,
  covered,
  counted,
  issues,
  before,
}: FormProps & { view: RoundView; covered: number[]; counted: number[]; issues: string[]; before: string }) {
  const [now, setNow] = useKept(draft, { words: issues.length ? before : "", covered });
  const steps = view.steps ?? [];
  const tick = (number: number, on: boolean) =>
    setNow({ ...now, covered: on ? [...now.covered, number] : now.covered.filter((one) => one !== number) });
  return (
    <form
      className="round-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (now.words.trim() && !busy) onMove({ guidance: now.words.trim(), covered_steps: [...now.covered].sort((a, b) => a - b) });
      }}
    >
      {issues.length > 0 && (
        <div className="notice" role="alert">
          <Icon name="warn" size={20} />
          <span>
            Your draft was not let through, and the group has not heard it. Please write it anew.
            {issues.map((issue) => (
              <span key={issue} className="issue">
                {visible(issue)}
              </span>
            ))}
          </span>
        </div>
      )}
      <TextBox
        label="To the group"
        hint="Guide them, do not tell them. It is a draft until the specialist and the safety supervisor have let it pass."
        lines={3}
        max={4000}
        value={now.words}
        onChange={(words) => setNow({ ...now, words })}
      />
      <details className="steps">
        <summary>
          Steps the group has covered: {now.covered.length} of {steps.length}
        </summary>
        <p className="soft small">A step counts once a student has made its point, in words that are recognised.</p>
        <div role="group" aria-label="Steps the group has covered">
          {steps.map((step) => (
            <Tick key={step.number} checked={now.covered.includes(step.number)} onChange={(on) => tick(step.number, on)}>
              <span className="unseen">Step </span>
              {step.number}. {visible(step.key_question)}
              <span className="soft small summary">{visible(step.summary)}</span>
              {!issues.length && covered.includes(step.number) && !counted.includes(step.number) && (
                <span className="small summary">{NOT_COUNTED}</span>
              )}
            </Tick>
          ))}
        </div>
      </details>
      <div className="hand-in">
        <Button type="submit" look="main" isDisabled={busy || !now.words.trim()}>
          {issues.length ? "Hand in the new draft" : "Hand in the draft"}
        </Button>
      </div>
    </form>
  );
}
