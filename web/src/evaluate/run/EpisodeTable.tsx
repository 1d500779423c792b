// A table that holds only the rows in sight, so that 100,000 episodes scroll like ten.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { capital, span, visible } from "#/design/text.ts";
import { useNarrow } from "../useNarrow.ts";
import { address, tracePath } from "../address.ts";
import type { EpisodeLine, Figure } from "../types.ts";
import { ended, number, plain, value } from "../words.ts";
import type { TrayState } from "./Tray.tsx";

const HEADS = ["No.", "Case", "Ending", "", "Turns", "Tests", "Time", "Exchanges", "Compare"];
const ROW = 40;
const NARROW_ROW = 92;

export interface Shown {
  words: string;
  kind: Figure["kind"];
}

export interface TableProps {
  run: string;
  going: EpisodeLine[];
  rows: EpisodeLine[];
  total: number;
  scored: string;
  /** What the score shown is called, and how it is read. */
  score: Shown;
  tray: TrayState;
  /** Asks for the next page, if there is one. */
  more: (() => void) | null;
}

export function EpisodeTable({ run, going, rows, total, score, tray, more }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = useNarrow() ? NARROW_ROW : ROW;
  const all = [...going, ...rows];
  const virtual = useVirtualizer({
    count: all.length + (more ? 1 : 0),
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [height, virtual]);
  const shown = virtual.getVirtualItems();
  const end = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && end >= all.length - 30) more();
  }, [more, end, all.length]);
  return (
    <div ref={box} className="table-box" role="table" aria-label="Episodes" aria-rowcount={going.length + total + 1} tabIndex={0}>
      <div role="rowgroup" className="table-head">
        <div role="row" aria-rowindex={1} className="episode-row">
          {HEADS.map((head, k) => (
            <span key={k} role="columnheader" className={`cell c${k}`}>
              {head || capital(visible(score.words))}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {shown.map(({ index, start }) => {
          const line = all[index];
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className="episode-row"
              style={{ position: "absolute", insetInline: 0, height, transform: `translateY(${start}px)` }}
            >
              {line ? <Cells run={run} line={line} score={score} going={index < going.length} tray={tray} /> : <span role="cell" className="cell soft">More rows are on their way</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cells({ run, line, score, going, tray }: { run: string; line: EpisodeLine; score: Shown; going: boolean; tray: TrayState }) {
  const id = `${run}:${line.ordinal}`;
  return (
    <>
      <span role="cell" className="cell c0">
        <Link href={tracePath(run, line.ordinal)} aria-label={`Episode ${line.ordinal}: ${visible(line.case)}`}>
          {number(line.ordinal)}
        </Link>
      </span>
      <span role="cell" className="cell c1">
        {visible(line.case)}
        {line.person && <Badge look="own">person</Badge>}
      </span>
      <span role="cell" className="cell c2">
        <Badge look={going ? "own" : ended(line.status)}>{going ? "being played" : visible(plain(line.status))}</Badge>
        {line.failed_at !== null && (
          <span className="small why failed">
            <Link href={address(tracePath(run, line.ordinal), { e: line.failed_at })}>Exchange {line.failed_at}</Link>: {visible(line.failed_why)}
          </span>
        )}
        {line.reason && line.status !== "completed" && <span className="soft small why">{visible(plain(line.reason))}</span>}
      </span>
      <span role="cell" className="cell c3 num">
        <span className="narrow-name">{capital(visible(score.words))} </span>
        {line.score === null ? <span className="soft">none</span> : value(score.kind, line.score)}
      </span>
      <Count name="turns" at={4} amount={number(line.turns)} />
      <Count name="tests" at={5} amount={number(line.tests)} />
      <Count name="" at={6} amount={span(line.minutes)} />
      <Count name="exchanges" at={7} amount={number(line.exchanges)} />
      <span role="cell" className="cell c8">
        <input
          type="checkbox"
          aria-label={`Choose episode ${line.ordinal} to compare`}
          checked={tray.has(id)}
          onChange={() => tray.toggle(id)}
        />
      </span>
    </>
  );
}

function Count({ name, at, amount }: { name: string; at: number; amount: string }) {
  return (
    <span role="cell" className={`cell c${at} num`}>
      {amount}
      {name && <span className="narrow-name"> {name}</span>}
    </span>
  );
}
