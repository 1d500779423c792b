// What was sent to a model and what came back, call by call.
import { Badge } from "#/design/Badge.tsx";
import { Empty } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import type { Call, ExchangeDetail } from "../types.ts";
import { money, number, plain } from "../words.ts";

const id = (call: Call) => `${call.path} ${call.call}`;

export function Prompt({ detail: { calls, player } }: { detail: ExchangeDetail }) {
  if (!calls.length)
    return (
      <Empty heading="No model was asked">
        <p>{visible(player)} is no language model, so it has no prompt. What it was given stands under View and Feed.</p>
      </Empty>
    );
  return (
    <div className="stack">
      {calls.map((call) => (
        <section key={id(call)} className="stack">
          <CallHead call={call} />
          {call.messages ? <Messages messages={call.messages} /> : <p className="soft">Its messages cannot be made anew here.</p>}
        </section>
      ))}
    </div>
  );
}

function CallHead({ call }: { call: Call }) {
  return (
    <div className="row">
      <h3>
        {visible(call.model || call.endpoint)}
        {call.path && <span className="soft small"> inside, at {visible(call.path)}</span>}
      </h3>
      <span className="soft small">{visible(call.host)}</span>
      {call.proved !== null && (
        <Badge look={call.proved ? "good" : "warn"}>{call.proved ? "Sent exactly so" : "Not what was sent"}</Badge>
      )}
    </div>
  );
}

function Messages({ messages }: { messages: NonNullable<Call["messages"]> }) {
  const before = messages.filter((one) => !one.new);
  const now = messages.filter((one) => one.new);
  const list = (some: typeof messages) => (
    <ol className="messages">
      {some.map((one, k) => (
        <li key={k}>
          <b className="small">{visible(plain(one.role))}</b>
          {one.pictures > 0 && <span className="small soft"> with {one.pictures} pictures</span>}
          <pre>{visible(one.text)}</pre>
        </li>
      ))}
    </ol>
  );
  return (
    <>
      {before.length > 0 && (
        <details>
          <summary>{number(before.length)} messages that it had been sent before</summary>
          {list(before)}
        </details>
      )}
      {list(now)}
    </>
  );
}

export function Reasoning({ calls }: { calls: Call[] }) {
  const found = calls.filter((call) => call.reasoning);
  if (!found.length)
    return (
      <Empty heading="No reasoning is recorded">
        <p>Only some models tell their reasoning, and built-in players have none to tell.</p>
      </Empty>
    );
  return (
    <div className="stack">
      {found.map((call) => (
        <section key={id(call)} className="stack">
          <CallHead call={call} />
          <pre>{visible(call.reasoning)}</pre>
        </section>
      ))}
    </div>
  );
}

/** Tokens, cost and time of each call. */
export function Used({ calls }: { calls: Call[] }) {
  if (!calls.length) return null;
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Tokens and cost">
      <table className="grid">
        <thead>
          <tr>
            {["Call", "Tokens in", "Tokens out", "Cost", "Seconds", "Tries", "Outcome"].map((name, k) => (
              <th key={name} scope="col" className={k && k < 6 ? "num" : ""}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <tr key={id(call)}>
              <th scope="row">{visible(`${call.path ? `${call.path}, ` : ""}${call.endpoint}`)}</th>
              <td className="num">{call.prompt_tokens === null ? "not reported" : number(call.prompt_tokens)}</td>
              <td className="num">{call.completion_tokens === null ? "not reported" : number(call.completion_tokens)}</td>
              <td className="num">{money(call.cost)}</td>
              <td className="num">{call.seconds === null ? "" : call.seconds.toFixed(1)}</td>
              <td className="num">{call.tries}</td>
              <td>{visible(plain(call.outcome))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
