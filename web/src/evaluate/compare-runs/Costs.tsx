// Money, tokens and time beside the score, and the runs that no other dominates.
import { useState } from "react";
import { Badge } from "#/design/Badge.tsx";
import { Pills } from "#/design/Fields.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { capital } from "#/design/text.ts";
import { useRunCosts } from "../queries.ts";
import type { RunCost, RunCosts, RunLine } from "../types.ts";
import { money, short, value } from "../words.ts";
import { Frontier } from "./Frontier.tsx";
import { Letter, titleOf } from "./letters.tsx";

export type Axis = RunCost["frontier"][number];

export const AXES: Record<Axis, { text: string; unit: string; of: (amount: number | null) => string }> = {
  money: { text: "Money", unit: "money an episode", of: money },
  tokens: { text: "Tokens", unit: "tokens an episode", of: short },
  seconds: { text: "Time", unit: "seconds an episode waits for its models", of: seconds },
};

function seconds(amount: number | null): string {
  return amount === null ? "not recorded" : `${amount.toLocaleString("en", { maximumFractionDigits: 2 })} s`;
}

export function Costs({ names, runs }: { names: string[]; runs: RunLine[] }) {
  const { data, error, refetch } = useRunCosts(names);
  return (
    <section className="stack">
      <h2>What it cost</h2>
      {error ? (
        <Fault error={error} again={() => void refetch()} />
      ) : !data ? (
        <Loading>Adding up what the models used</Loading>
      ) : data.runs.some((one) => one.models) ? (
        <Spent costs={data} runs={runs} />
      ) : (
        <p className="soft">No language model took part in any of these runs, so nothing was spent.</p>
      )}
    </section>
  );
}

function Spent({ costs, runs }: { costs: RunCosts; runs: RunLine[] }) {
  const [axis, setAxis] = useState<Axis>("money");
  return (
    <>
      <div className="scrolls" tabIndex={0} role="region" aria-label="Costs by run">
        <table className="grid stacks">
          <thead>
            <tr>
              {["Run", capital(costs.score), "Money an episode", "Tokens in", "Tokens out", "Seconds an episode", "Seconds a call"].map((name, k) => (
                <th key={name} scope="col" className={k ? "num" : ""}>
                  {name}
                </th>
              ))}
              <th scope="col">Frontier</th>
            </tr>
          </thead>
          <tbody>
            {costs.runs.map((one) => (
              <Line key={one.run} one={one} runs={runs} costs={costs} />
            ))}
          </tbody>
        </table>
      </div>
      <Pills
        label="Cost against which the score is drawn"
        value={axis}
        onChange={setAxis}
        options={(Object.keys(AXES) as Axis[]).map((id) => ({ id, text: AXES[id].text }))}
      />
      <Frontier costs={costs} runs={runs} axis={axis} />
    </>
  );
}

function Line({ one, runs, costs }: { one: RunCost; runs: RunLine[]; costs: RunCosts }) {
  return (
    <tr>
      <th scope="row">
        <Letter at={one.run} /> {titleOf(runs, one.run)}
      </th>
      <td className="num" data-of={capital(costs.score)}>
        {value(costs.kind, one.value)}
      </td>
      <td className="num" data-of="Money an episode">
        {one.priced ? one.models ? money(one.money) : "no model" : <Badge look="warn">unpriced</Badge>}
      </td>
      <td className="num" data-of="Tokens in">
        {short(one.tokens_in)}
      </td>
      <td className="num" data-of="Tokens out">
        {short(one.tokens_out)}
      </td>
      <td className="num" data-of="Seconds an episode">
        {seconds(one.seconds)}
      </td>
      <td className="num" data-of="Seconds a call">
        {one.models ? seconds(one.seconds_a_call) : "no model"}
      </td>
      <td data-of="Frontier">
        {one.frontier.length ? one.frontier.map((axis) => AXES[axis].text).join(", ") : <span className="soft">on none</span>}
      </td>
    </tr>
  );
}
