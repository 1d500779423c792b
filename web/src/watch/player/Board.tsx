// The board: orders that are pending or came back, locks that are open, and what is left of the limits.
import { Badge } from "#/design/Badge.tsx";
import { Icon } from "#/design/Icon.tsx";
import { capital, clock, span, visible } from "#/design/text.ts";
import type { Lock, Slip } from "#/hospital/types.ts";
import type { Limit } from "./evidence.ts";

export interface BoardProps {
  /** All slips that were pinned so far; those whose time is over came off. */
  slips: Slip[];
  locks: Lock[];
  limits: Limit[];
  t: number;
  minute: number;
}

export function Board({ slips, locks, limits, t, minute }: BoardProps) {
  // The note that an order was given makes way for the slip that says when it is due.
  const kept = slips.filter((slip) => !slips.some((later) => later !== slip && later.due !== null && slip.due === null && later.t0 === slip.t1 && later.name === slip.name));
  const pending = kept.filter(({ t1 }) => t1 === null || t < t1);
  // A lock that opened later, or shut again, is shown as it is now.
  const latest = [...new Map(locks.map((lock) => [lock.text, lock])).values()];
  const done = kept.filter(({ t1 }) => t1 !== null && t1 <= t);
  return (
    <div className="board" tabIndex={0} role="group" aria-label="Board">
      <section>
        <h2>Pending</h2>
        {!pending.length && <p className="soft">No order is pending.</p>}
        <ul className="slips">
          {pending.map((slip, k) => (
            <li key={k} className="slip">
              <b>{capital(visible(slip.name))}</b>
              <span className="small">
                ordered {clock(slip.minute)}
                {slip.due !== null && `, due ${clock(slip.due)}${slip.due > minute ? ` (in ${span(slip.due - minute)})` : " (ready)"}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
      {done.length > 0 && (
        <section>
          <h2>Came back</h2>
          <ul className="slips">
            {done.map((slip, k) => (
              <li key={k} className={`slip ${slip.stamped ? "stamped" : "back"}`}>
                <b>{capital(visible(slip.name))}</b>
                {slip.stamped ? (
                  <span className="small">
                    <Badge look="bad">no result</Badge> {visible(slip.stamped)}
                  </span>
                ) : (
                  <span className="small soft">the result is in the notebook</span>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Locks heading="Locks that are shut" locks={latest.filter(({ shut }) => shut)} />
      <Locks heading="Locks that are open" locks={latest.filter(({ shut }) => !shut)} />
      {limits.length > 0 && (
        <section>
          <h2>Left of the limits</h2>
          <dl className="limits">
            {limits.map(({ name, left, of }) => (
              <div key={name}>
                <dt>{capital(name)}</dt>
                <dd>
                  <meter min={0} max={of || 1} value={left} aria-label={`${capital(name)} left`} /> {left}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </div>
  );
}

function Locks({ heading, locks }: { heading: string; locks: Lock[] }) {
  if (!locks.length) return null;
  return (
    <section>
      <h2>{heading}</h2>
      <ul className="slips">
        {locks.map(({ id, text, shut }) => (
          <li key={`${id} ${text}`} className={`slip lock ${shut ? "shut" : ""}`}>
            <span>
              <Icon name="lock" size={16} /> {capital(visible(text))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
