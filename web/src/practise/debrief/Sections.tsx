// The sections of a debrief: what went well, what was missed, with the words to jump to and a way to object.
import { useState } from "react";
import type { Debriefing, Entry, Section } from "#/api/types-of.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button } from "#/design/Button.tsx";
import { TextBox } from "#/design/Fields.tsx";
import { Icon, type IconName } from "#/design/Icon.tsx";
import { capital, visible } from "#/design/text.ts";

const MARKS: Partial<Record<Section["kind"], [IconName, string]>> = {
  good: ["tick", "Done"],
  missed: ["minus", "Missed"],
  unsafe: ["warn", "Unsafe"],
};

interface Doing {
  jump: (at: string) => void;
  again: (keep: number) => void;
  contest: (item: string, words: string) => Promise<void>;
}

export function Sections({ data, ...doing }: { data: Debriefing } & Doing) {
  return data.sections.map((section) => (
    <details key={section.heading} className="fold" open={section.kind === "score"}>
      <summary>
        <h2>{visible(section.heading)}</h2>
        {section.kind !== "score" && <span className="soft small">{section.entries.length}</span>}
      </summary>
      <ul className="entries">
        {section.entries.map((entry, k) => (
          <EntryLine key={entry.item ?? k} entry={entry} kind={section.kind} {...doing} />
        ))}
      </ul>
    </details>
  ));
}

function EntryLine({ entry, kind, jump, again, contest }: { entry: Entry; kind: Section["kind"] } & Doing) {
  const [open, setOpen] = useState(false);
  const mark = MARKS[kind];
  const { item, at, contested } = entry;
  return (
    <li>
      {mark && (
        <span className={`mark ${kind}`}>
          <Icon name={mark[0]} size={16} /> {mark[1]}
        </span>
      )}
      <span style={{ whiteSpace: "pre-wrap" }}>{capital(visible(entry.text))}</span>
      {contested && <Answer contested={contested} />}
      <span className="row">
        {at && (
          <Button look="quiet" onPress={() => jump(at)} aria-label={`Show it in the conversation: ${visible(entry.text)}`}>
            <Icon name="quote" size={18} /> Show it
          </Button>
        )}
        {entry.again !== null && entry.again !== undefined && (
          <Button look="quiet" onPress={() => again(entry.again!)} aria-label={`Again from here: ${visible(entry.text)}`}>
            <Icon name="again" size={18} /> Again from here
          </Button>
        )}
        {item && !contested && (
          <Button look="quiet" onPress={() => setOpen(!open)} aria-expanded={open} aria-label={`I did that: ${visible(entry.text)}`}>
            I did that
          </Button>
        )}
      </span>
      {open && item && !contested && (
        <ContestForm
          onGive={async (words) => {
            await contest(item, words);
            setOpen(false);
          }}
        />
      )}
    </li>
  );
}

function Answer({ contested }: { contested: NonNullable<Entry["contested"]> }) {
  return (
    <span className="own-reading">
      <b>You said: I did that</b>
      <span>{visible(contested.words)}</span>
      {contested.answer ? (
        <span>
          <Badge look="own">{capital(visible(contested.by ?? "")) || "Your teacher"}</Badge> {contested.answer === "accept" ? "Accepted" : "Not accepted"}
          {contested.comment && `: ${visible(contested.comment)}`}
        </span>
      ) : (
        <span className="small">Not answered yet.</span>
      )}
    </span>
  );
}

function ContestForm({ onGive }: { onGive: (words: string) => Promise<void> }) {
  const [words, setWords] = useState("");
  const [wrong, setWrong] = useState("");
  const give = async () => {
    if (!words.trim()) return setWrong("Say in a few words where you did it.");
    try {
      await onGive(words.trim());
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void give();
      }}
    >
      <TextBox label="Where did you do it?" hint="Quote your own words if you can." lines={2} value={words} onChange={setWords} wrong={wrong} max={600} />
      <div>
        <Button type="submit">Send</Button>
      </div>
    </form>
  );
}
