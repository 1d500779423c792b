import { Empty } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import type { Attempt, ExchangeDetail } from "../types.ts";
import { plain } from "../words.ts";
import { Value } from "./Value.tsx";

/** Replies that were refused, and what players were asked inside this exchange. */
export function Attempts({ detail: { refused, inner } }: { detail: ExchangeDetail }) {
  if (!refused.length && !inner.length)
    return (
      <Empty heading="Taken at the first attempt">
        <p>No reply was refused, and no other player was asked inside this exchange.</p>
      </Empty>
    );
  return (
    <div className="stack">
      {refused.length > 0 && (
        <>
          <h3>Refused</h3>
          <Refused attempts={refused} />
        </>
      )}
      {inner.map((one) => (
        <section key={one.path} className="stack">
          <h3>
            Inside, {visible(one.path)}: {visible(plain(one.seat))} <span className="soft small">{visible(one.player)}</span>
          </h3>
          <Value of={one.reply} />
          <Refused attempts={one.attempts} />
        </section>
      ))}
    </div>
  );
}

function Refused({ attempts }: { attempts: Attempt[] }) {
  return (
    <ol className="stack">
      {attempts.map((one, k) => (
        <li key={k} className="card">
          <p>
            <b>By the {visible(plain(one.at))}:</b> {visible(one.why)}
          </p>
          <pre>{visible(one.said)}</pre>
        </li>
      ))}
    </ol>
  );
}
