import "./talk.css";
import { useState } from "react";
import { Button } from "#/design/Button.tsx";
import { TextBox } from "#/design/Fields.tsx";
import { asWritten, clock, visible } from "#/design/text.ts";
import type { Result } from "./items.ts";
import { PictureDialog } from "./PictureDialog.tsx";

/** A result. A picture comes raw: the report is shown after one's own reading is written. */
export function ResultCard({
  result,
  onRead,
  level = 3,
}: {
  result: Result;
  onRead?: (item: string, words: string) => Promise<void>;
  level?: 3 | 4;
}) {
  const { id, name, text, returned, minute, picture, unread, reading } = result;
  const [large, setLarge] = useState(false);
  const Heading = `h${level}` as const;
  return (
    <article className={`result ${returned ? "" : "none"}`}>
      <header>
        <Heading>{visible(name)}</Heading>
        <span className="soft small">
          {returned ? "" : "No result · "}
          {clock(minute)}
        </span>
      </header>
      {picture && (
        <>
          <button type="button" className="picture-open" onClick={() => setLarge(true)}>
            <img src={picture} alt={`${visible(name)}, without a report`} loading="lazy" />
            <span className="enlarge">Enlarge</span>
          </button>
          <PictureDialog name={name} picture={picture} open={large} onClose={() => setLarge(false)} />
        </>
      )}
      {unread ? (
        <>
          {onRead && <ReadingForm key={id} onRead={(words) => onRead(id, words)} />}
          {!onRead && <p className="soft small">The report waits for your own reading.</p>}
        </>
      ) : (
        <>
          {reading && (
            <div className="own-reading">
              <b>Your reading</b>
              <span>{visible(reading)}</span>
            </div>
          )}
          {picture && text && <b className="small">Report</b>}
          {text && <p className="report">{asWritten(text)}</p>}
        </>
      )}
    </article>
  );
}

function ReadingForm({ onRead }: { onRead: (words: string) => Promise<void> }) {
  const [words, setWords] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const give = async () => {
    if (!words.trim()) return setWrong("Write what you see first, however short.");
    setBusy(true);
    try {
      await onRead(words.trim());
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
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
      <TextBox
        label="What do you see?"
        hint="Write your own reading, then see the report."
        lines={2}
        value={words}
        onChange={(now) => {
          setWords(now);
          setWrong("");
        }}
        wrong={wrong}
        max={4000}
      />
      <div>
        <Button type="submit" look="main" isDisabled={busy}>
          See the report
        </Button>
      </div>
    </form>
  );
}
