// One item of an episode's log, as its view has it: words, results, acts, and what the table noted.
import "./log.css";
import { memo, type ReactNode } from "react";
import { Icon, type IconName } from "#/design/Icon.tsx";
import { capital, clock, visible } from "#/design/text.ts";
import type { Line, LogItem } from "#/evaluate/types.ts";
import { plain } from "#/evaluate/words.ts";
import { MARKS } from "./marks.ts";
import { noted } from "./noted.ts";
import { withMark } from "./quotes.tsx";

export interface LogRowProps {
  item: LogItem;
  /** Words to highlight, as a judgement quotes them. */
  quote?: string;
  /** What is seen of it on the stage beside its words: who walks where. */
  staged?: string[];
  /** Whether this is the item that is looked at. */
  here?: boolean;
  onChoose?: ((item: LogItem) => void) | undefined;
}

/** Whether there is anything to show of an item. */
export const hasWords = (item: LogItem) => item.lines.length > 0 || item.picture !== "" || item.mark !== null;

const NOTHING: string[] = [];

export const LogRow = memo(function LogRow({ item, quote = "", staged = NOTHING, here = false, onChoose }: LogRowProps) {
  const mark = item.mark ? MARKS[item.mark] : null;
  return (
    <li className={`log-row ${here ? "here" : ""}`} data-item={item.id} tabIndex={-1}>
      <span className="log-time small soft">
        {onChoose ? (
          <button type="button" className="log-at" onClick={() => onChoose(item)} aria-label={`Exchange ${item.n}, minute ${clock(item.minute)}: go there`}>
            {clock(item.minute)}
          </button>
        ) : (
          clock(item.minute)
        )}
      </span>
      <div className="log-lines">
        {item.picture ? (
          <Picture item={item} quote={quote} />
        ) : (
          item.lines.map((line, k) => <LogLine key={k} line={line} own={item.seat !== "" && !line.public} quote={quote} />)
        )}
        {!item.lines.length && !item.picture && (item.event || item.mark) && <Noted item={item} quote={quote} />}
        {staged.map((line, k) => (
          <p key={k} className="log-line staged">
            {capital(visible(line))}
          </p>
        ))}
      </div>
      {mark && (
        <span className={`log-mark small mark-${item.mark}`}>
          <Icon name={mark.icon as IconName} size={15} /> {mark.word}
        </span>
      )}
    </li>
  );
});

/** `own` lines are a seat's own thoughts, heard by nobody. */
function LogLine({ line, quote, own = false }: { line: Line; quote: string; own?: boolean }): ReactNode {
  const look = line.kind === "said" ? "said" : line.kind === "does" ? "does" : line.kind.includes("result") ? "result" : "note";
  return (
    <p className={`log-line ${look} ${own ? "private" : ""}`}>
      <b>
        {capital(visible(plain(line.label)))}
        <span className="unseen">: </span>
      </b>
      <span className="log-text">{withMark(visible(line.text), quote)}</span>
    </p>
  );
}

/** What the record notes without words: which facts became known, for example. */
function Noted({ item, quote }: { item: LogItem; quote: string }) {
  const [label, text] = noted(item);
  return (
    <p className="log-line note">
      <b>{label}</b>
      <span className="log-text">{withMark(visible(text), quote)}</span>
    </p>
  );
}

/** A picture as it was taken; its report is folded, so that one may look first. */
function Picture({ item, quote }: { item: LogItem; quote: string }) {
  const name = visible(item.lines[0]?.label ?? "Picture");
  return (
    <figure className="log-picture">
      <img src={item.picture} alt={`${name}: the picture, without its report`} loading="lazy" />
      <details open={quote !== ""}>
        <summary>Report</summary>
        {item.lines.map((line, k) => (
          <LogLine key={k} line={line} quote={quote} />
        ))}
      </details>
    </figure>
  );
}
