import "./talk.css";
import { visible } from "#/design/text.ts";
import type { Words } from "./items.ts";

/** Words of one speaker. Who speaks is written, and also heard by screen readers for one's own. */
export function Bubble({ words, sending, named = true }: { words: Words; sending?: boolean; named?: boolean }) {
  const { who, text, mine, to, look, only } = words;
  const label = `${mine ? "You" : who}${to ? `, to ${to}` : ""}`;
  const mark = only ? `${look === "draft" ? "Draft, " : ""}${only}` : look === "draft" ? "Draft, not said yet" : look === "thought" ? "A thought, heard by nobody" : "";
  const shown = named || !!to || !!look;
  return (
    <div className={`bubble ${mine ? "mine" : ""} ${look ?? ""} ${sending ? "sending" : ""}`}>
      <span className={shown ? "who" : "unseen"}>
        {label}
        {mark && ` · ${mark}`}
        <span className="unseen">: </span>
      </span>
      {visible(text)}
      {sending && <span className="unseen"> (being sent)</span>}
    </div>
  );
}
