import "./talk.css";
import type { Left as Limits } from "#/api/types-of.ts";
import { clock, plural, span } from "#/design/text.ts";

/** What is left of each limit, and the patient's time, which is no clock on the wall. */
export function Left({ left, now }: { left: Limits; now?: number }) {
  const parts: [string, string, boolean][] = [];
  const add = (count: number | null | undefined, one: string, few: number) => {
    if (count !== null && count !== undefined) parts.push([String(count), plural(count, one).replace(/^\d+ /, ""), count <= few]);
  };
  if (left.last_chance) parts.push(["Last", "turn", true]);
  else add(left.turns, "turn", 3);
  add(left.tests, "test", 1);
  add(left.cost, "point", 0);
  return (
    <p className="left">
      <span className="unseen">What is left: </span>
      {parts.map(([count, what, few]) => (
        <span key={what} className={few ? "few" : ""}>
          <b>{count}</b> {what}
        </span>
      ))}
      {now !== undefined && (
        <span>
          <b>{clock(now)}</b> of the patient's time
        </span>
      )}
      {left.minutes !== null && left.minutes !== undefined && (
        <span className={left.minutes <= 15 ? "few" : ""}>
          <b>{span(left.minutes)}</b> of it left
        </span>
      )}
    </p>
  );
}
