// A round of a group as it is read from outside: who sits where, and line by line what was said.
import "#/practise/group/group.css";
import { useEffect, useRef } from "react";
import { Badge } from "#/design/Badge.tsx";
import { Empty } from "#/design/States.tsx";
import { capital, clock, visible } from "#/design/text.ts";
import type { Assessed } from "#/practise/group/api.ts";
import { seatTitle } from "#/practise/group/words.ts";

type Item = Assessed["log"][number];

export function Round({ round }: { round: Assessed }) {
  const end = useRef<HTMLDivElement>(null);
  const count = round.log.length;
  useEffect(() => {
    void end.current?.scrollIntoView({ block: "nearest" }); // newer browsers return a promise
  }, [count]);
  return (
    <>
      <div className="row">
        <Badge look={round.ended ? "own" : "good"}>{round.ended ? "ended" : "goes on"}</Badge>
      </div>
      <dl className="told">
        {Object.entries(round.seats).map(([seat, who]) => (
          <div key={seat}>
            <dt>{seatTitle(seat)}</dt>
            <dd>{capital(visible(who)) || "Somebody who has left the room"}</dd>
          </div>
        ))}
      </dl>
      {count === 0 && <Empty icon="say" heading="Nothing has been said yet" />}
      <ol className="transcript">
        {round.log.map((item) => (
          <Said key={item.id} item={item} />
        ))}
      </ol>
      <div ref={end} />
    </>
  );
}

const FOLDED = 4;

/** What was said or done in one go; the many lines of an exam stay folded. */
function Said({ item }: { item: Item }) {
  const { lines, minute } = item;
  if (lines.length <= FOLDED) return lines.map((_, at) => <Line key={at} item={item} at={at} />);
  return (
    <li className="line">
      <details>
        <summary>
          {capital(visible(lines[0]!.label))} <span className="soft">{clock(minute)}</span>, {lines.length} lines
        </summary>
        <ol className="transcript">
          {lines.map((_, at) => (
            <Line key={at} item={item} at={at} />
          ))}
        </ol>
      </details>
    </li>
  );
}

function Line({ item, at }: { item: Item; at: number }) {
  const line = item.lines[at]!;
  return (
    <li className={`line ${line.by === "tutor" ? "tested" : ""}`}>
      <span className="who">
        {capital(visible(line.label))} <span className="soft">{clock(item.minute)}</span> <Kind item={item} />
      </span>
      {visible(line.text)}
    </li>
  );
}

const PRIVATE: Record<string, string> = {
  analysis: "for the tutor alone",
  query: "for the expert alone",
};

/** The words that not everybody in the round heard are labelled: a draft, a review, a private line. */
function Kind({ item }: { item: Item }) {
  const { kind, part, approved } = (item.event ?? {}) as { kind?: string; part?: string; approved?: boolean };
  if (kind === "line" && part === "draft") return <Badge look="warn">draft</Badge>;
  if (kind === "review") return <Badge look={approved ? "good" : "bad"}>review: {approved ? "approved" : "rejected"}</Badge>;
  if (kind === "exam" || (kind === "line" && part && PRIVATE[part])) return <Badge look="own">{PRIVATE[part ?? ""] ?? "exam"}</Badge>;
  return null;
}
