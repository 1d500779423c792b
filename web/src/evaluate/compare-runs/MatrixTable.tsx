// The matrix of cases and runs, a row to a case: its cells say in words and by a sign how each run did.
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef, type CSSProperties } from "react";
import { visible } from "#/design/text.ts";
import { useNarrow } from "../useNarrow.ts";
import type { Figure, MatrixCell, MatrixRow, RunLine } from "../types.ts";
import { number, value } from "../words.ts";
import { Letter, letter, titleOf } from "./letters.tsx";

const ROW = 44;
const NARROW_HEAD = 34;
const NARROW_LINE = 40;

export const STATES: Record<MatrixCell["state"], { sign: string; text: string; look: string }> = {
  right: { sign: "✓", text: "right", look: "right" },
  wrong: { sign: "✗", text: "wrong", look: "wrong" },
  "right, unsupported": { sign: "✓?", text: "unsupported", look: "unsupported" },
  differs: { sign: "≠", text: "differs between worlds", look: "differs" },
  unscored: { sign: "–", text: "unscored", look: "unscored" },
  "nothing to score": { sign: "·", text: "nothing to score", look: "unscored" },
  "not played": { sign: "", text: "not played", look: "missing" },
  scored: { sign: "", text: "", look: "scored" },
};

interface TableProps {
  runs: RunLine[];
  rows: MatrixRow[];
  total: number;
  kind: Figure["kind"];
  onOpen: (row: MatrixRow) => void;
  /** Asks for the next page, if there is one. */
  more: (() => void) | null;
}

export function MatrixTable({ runs, rows, total, kind, onOpen, more }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = useNarrow() ? NARROW_HEAD + NARROW_LINE * Math.ceil(runs.length / 2) : ROW;
  const virtual = useVirtualizer({
    count: rows.length + (more ? 1 : 0),
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
  });
  useEffect(() => virtual.measure(), [height, virtual]);
  const shown = virtual.getVirtualItems();
  const end = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && end >= rows.length - 60) more();
  }, [more, end, rows.length]);
  return (
    <div
      ref={box}
      className="table-box matrix"
      role="table"
      aria-label="Cases by run"
      aria-rowcount={total + 1}
      tabIndex={0}
      style={{ "--runs": runs.length } as CSSProperties}
    >
      <div role="rowgroup" className="table-head">
        <div role="row" aria-rowindex={1} className="matrix-row">
          <span role="columnheader" className="cell matrix-case">
            Case
          </span>
          {runs.map((run, k) => (
            <span key={run.name} role="columnheader" className="cell" title={run.name}>
              <Letter at={k} /> <span className="matrix-name">{titleOf(runs, k)}</span>
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className="matrix-row"
              style={{ position: "absolute", insetInline: 0, height, transform: `translateY(${start}px)` }}
            >
              {row ? <Cells row={row} kind={kind} onOpen={onOpen} /> : <span role="cell" className="cell soft">More rows are on their way</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The name of the case opens it, and so does a press on any of its cells. */
const Cells = memo(function Cells({ row, kind, onOpen }: { row: MatrixRow; kind: Figure["kind"]; onOpen: (row: MatrixRow) => void }) {
  return (
    <>
      <span role="rowheader" className="cell matrix-case">
        <button type="button" onClick={() => onOpen(row)}>
          {visible(row.case)}
        </button>
        {row.worlds > 1 && <span className="soft small"> {number(row.worlds)} worlds</span>}
      </span>
      {row.cells.map((cell, k) => (
        <span key={k} role="cell" onClick={() => onOpen(row)} className={`cell run-outcome is-${STATES[cell.state].look}`}>
          <span className="narrow-name">{letter(k)} </span>
          <CellWords cell={cell} kind={kind} />
        </span>
      ))}
    </>
  );
});

function CellWords({ cell, kind }: { cell: MatrixCell; kind: Figure["kind"] }) {
  const { sign, text } = STATES[cell.state];
  const marks = cell.right === 0 && cell.value !== null && cell.value !== 0;
  const mean = cell.state === "scored" || (cell.state === "differs" && marks);
  return (
    <>
      {mean ? <b>{value(kind, cell.value)}</b> : <span aria-hidden className="sign">{sign}</span>}
      <span className={cell.state === "differs" ? "unseen" : ""}>{text}</span>
      {cell.state === "differs" && !marks && (
        <span>
          {cell.right} of {cell.scored}
          <span className="unseen"> right</span>
        </span>
      )}
      {cell.worse > 0 && <Against sign="▼" text="worse than the baseline" count={cell.worse} />}
      {cell.better > 0 && <Against sign="▲" text="better than the baseline" count={cell.better} />}
    </>
  );
}

function Against({ sign, text, count }: { sign: string; text: string; count: number }) {
  return (
    <span className="against" title={text}>
      <span aria-hidden>{sign}</span>
      {count > 1 && count}
      <span className="unseen"> {text}</span>
    </span>
  );
}
