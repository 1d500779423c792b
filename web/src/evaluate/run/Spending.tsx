// What a run's models have used of their budget, and the requests that failed, by cause; and how to go on.
import { useState } from "react";
import { Button } from "#/design/Button.tsx";
import { Fault } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { useSpending } from "../queries.ts";
import { amount, BudgetBoxes, wholeAmount } from "../start/Models.tsx";
import type { Budget, RunLine, RunSpending } from "../types.ts";
import { money, number, plain, short } from "../words.ts";
import { Fact } from "./RunScreen.tsx";

export function Spending({ run, onGoOn, busy }: { run: RunLine; onGoOn: (budget: Budget) => void; busy: boolean }) {
  const { data, error, refetch } = useSpending(run.name);
  if (error) return <Fault error={error} again={() => void refetch()} />;
  if (!data) return null;
  const standing = run.status !== "running" && run.done < run.planned;
  return (
    <section className="card" aria-label="Spending">
      <h2>What its models have used</h2>
      <Used spent={data} />
      <Faults spent={data} />
      {standing && <GoOn key={`${data.max_money} ${data.token_budget}`} spent={data} onGoOn={onGoOn} busy={busy} />}
    </section>
  );
}

function Used({ spent }: { spent: RunSpending }) {
  const limits = [spent.max_money, spent.limited_here].filter((one): one is number => one !== null);
  const most = limits.length ? Math.min(...limits) : null;
  return (
    <>
      <dl className="facts">
        <Fact name="Cost" text={most === null ? money(spent.money) : `${money(spent.money)} of ${money(most)}`} />
        <Fact name="Tokens" text={spent.token_budget === null ? short(spent.tokens) : `${short(spent.tokens)} of ${short(spent.token_budget)}`} />
        <Fact name="Calls" text={number(spent.calls)} />
        {Object.entries(spent.ended).map(([status, count]) => (
          <Fact key={status} name={capital(plain(status))} text={number(count)} />
        ))}
      </dl>
      {most !== null && spent.money !== null && <Track name="Cost" used={spent.money} most={most} />}
      {spent.token_budget !== null && <Track name="Tokens" used={spent.tokens} most={spent.token_budget} />}
    </>
  );
}

function Track({ name, used, most }: { name: string; used: number; most: number }) {
  const share = most > 0 ? Math.min(100, Math.round((100 * used) / most)) : 100;
  return (
    <span className="track" role="progressbar" aria-label={`${name}, of the budget`} aria-valuenow={share} aria-valuemin={0} aria-valuemax={100}>
      <span style={{ width: `${share}%` }} />
    </span>
  );
}

function Faults({ spent: { faults } }: { spent: RunSpending }) {
  if (!faults.length) return <p className="soft small">No request has failed.</p>;
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Failed requests">
      <table className="grid">
        <caption>Requests that failed, by cause</caption>
        <thead>
          <tr>
            <th scope="col">Cause</th>
            <th scope="col">Seat</th>
            <th scope="col">Endpoint</th>
            <th scope="col" className="num">
              Sent again
            </th>
            <th scope="col" className="num">
              Without an answer
            </th>
          </tr>
        </thead>
        <tbody>
          {faults.map((one) => (
            <tr key={`${one.cause} ${one.seat} ${one.endpoint}`}>
              <th scope="row">
                {capital(visible(plain(one.cause)))}
                {one.words && <span className="soft small means">{visible(one.words)}</span>}
              </th>
              <td>{visible(plain(one.seat))}</td>
              <td>{visible(one.endpoint)}</td>
              <td className="num">{number(one.again)}</td>
              <td className="num">{number(one.lost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Go on within another budget. */
function GoOn({ spent, onGoOn, busy }: { spent: RunSpending; onGoOn: (budget: Budget) => void; busy: boolean }) {
  const [most, setMost] = useState(spent.max_money === null ? "" : String(spent.max_money));
  const [tokens, setTokens] = useState(spent.token_budget === null ? "" : String(spent.token_budget));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onGoOn({ max_money: amount(most) || null, token_budget: wholeAmount(tokens) });
      }}
    >
      <BudgetBoxes money={most} tokens={tokens} onMoney={setMost} onTokens={setTokens} />
      <div className="row">
        <Button type="submit" isDisabled={busy}>
          Go on within this budget
        </Button>
      </div>
    </form>
  );
}
