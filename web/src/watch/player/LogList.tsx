// What has happened so far, the newest line last and in sight; and the same said aloud, one line an event.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { visible } from "#/design/text.ts";
import type { LogItem } from "#/evaluate/types.ts";
import { LogRow } from "../log/LogRow.tsx";
import type { Row } from "./rows.ts";

const LONG = 80;
const MERGED_EVERY_MS = 3_000;

export function LogList({ rows, at, onChoose }: { rows: Row[]; at: number; onChoose: (item: LogItem) => void }) {
  const box = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // All rows stand in the list, and those to come are hidden: to go anywhere is then cheap, however long the log.
    [...element.children].forEach((row, k) => {
      const later = k > at;
      if ((row as HTMLElement).hidden !== later) (row as HTMLElement).hidden = later;
    });
    const toEnd = () => void (element.scrollTop = element.scrollHeight);
    toEnd();
    element.addEventListener("load", toEnd, true); // a picture has its height only when it has come
    return () => element.removeEventListener("load", toEnd, true);
  }, [at, rows]);
  const latest = useRef(onChoose);
  latest.current = onChoose;
  const choose = useCallback((item: LogItem) => latest.current(item), []); // so that old rows are not drawn again
  return (
    <ol className={`log shown ${at > LONG ? "long" : ""}`} ref={box} aria-label="What has happened so far" tabIndex={0}>
      {rows.map(({ item, staged }, k) => (
        <LogRow key={item.id} item={item} staged={staged} here={k === at} onChoose={choose} />
      ))}
    </ol>
  );
}

/** A polite live region. At high speed, what happened meanwhile is counted, and only the newest line is read. */
export function Announced({ rows, at, fast }: { rows: Row[]; at: number; fast: boolean }) {
  const [said, setSaid] = useState("");
  const told = useRef({ at, time: 0 });
  useEffect(() => {
    const tell = () => {
      const passed = at - told.current.at;
      told.current = { at, time: Date.now() };
      const row = rows[at];
      if (row) setSaid(`${fast && passed > 1 ? `${passed} lines, now: ` : ""}${wordsOf(row)}`);
    };
    const wait = fast ? told.current.time + MERGED_EVERY_MS - Date.now() : 0;
    if (wait <= 0) return tell();
    const timer = window.setTimeout(tell, wait);
    return () => window.clearTimeout(timer);
  }, [rows, at, fast]);
  return (
    <p className="unseen" role="status">
      {said}
    </p>
  );
}

function wordsOf({ item, staged }: Row): string {
  const lines = item.lines.map((line) => `${line.label}: ${line.text}`);
  return visible([...lines, ...staged].join(". "));
}
