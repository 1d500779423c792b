import { useCallback, useLayoutEffect, useRef } from "react";
import { visible } from "#/design/text.ts";
import type { LogItem } from "#/evaluate/types.ts";
import { LogRow } from "../log/LogRow.tsx";

/** What has happened so far, the newest line last and in sight. */
export function Shown({ items, at, onChoose }: { items: LogItem[]; at: number; onChoose?: (item: LogItem) => void }) {
  const box = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const toEnd = () => void (element.scrollTop = element.scrollHeight);
    toEnd();
    element.addEventListener("load", toEnd, true); // a picture has its height only when it has come
    return () => element.removeEventListener("load", toEnd, true);
  }, [at, items]);
  const latest = useRef(onChoose);
  latest.current = onChoose;
  const choose = useCallback((item: LogItem) => latest.current?.(item), []); // so that old rows are not drawn again
  const now = items[at]!;
  return (
    <>
    <p className="unseen" role="status">
      {now.lines.map((line) => visible(`${line.label}: ${line.text}`)).join(" ")}
    </p>
    <ol className={`log shown ${at > 500 ? "long" : ""}`} ref={box} aria-label="What has happened so far" tabIndex={0}>
      {items.slice(0, at + 1).map((item, k) => (
        <LogRow key={item.id} item={item} here={k === at} onChoose={onChoose ? choose : undefined} />
      ))}
    </ol>
    </>
  );
}
