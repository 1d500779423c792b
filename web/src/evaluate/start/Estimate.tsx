import { visible } from "#/design/text.ts";
import { Command } from "../Copy.tsx";
import { Fact } from "../run/RunScreen.tsx";
import type { Estimated } from "../types.ts";
import { bytes, money, number, plain, short } from "../words.ts";

/** How large a run will be, as far as it can be told before; nothing was asked. */
export function Estimate({ plan, many, money: most, tokens }: { plan: Estimated; many: string; money: number | null; tokens: number | null }) {
  const asks = plan.calls > 0;
  const beyond = [
    most !== null && plan.cost !== null && plan.cost > most && `a cost of ${money(most)}`,
    tokens !== null && plan.tokens > tokens && `${short(tokens)} tokens`,
  ].filter(Boolean);
  return (
    <>
      <p role="status">
        <b>{number(plan.episodes)}</b> {plan.episodes === 1 ? "episode" : many || "episodes"}.{" "}
        {asks ? "These are estimates; the real figures may differ:" : "No language model takes part, so it costs nothing."}
      </p>
      {asks && (
        <dl className="facts">
          <Fact name="Calls, about" text={short(plan.calls)} />
          <Fact name="Tokens, about" text={short(plan.tokens)} />
          <Fact name="Cost, about" text={money(plan.cost)} />
        </dl>
      )}
      {beyond.length > 0 && <p role="status">It may want more: then it pauses at {beyond.join(" or ")}, and can go on later.</p>}
      {plan.seats.map((seat) => (
        <p key={seat.seat} className="small">
          {plain(seat.seat)}, {visible(seat.player)}: about {short(seat.calls)} calls, {short(seat.prompt_tokens)} tokens in,{" "}
          {short(seat.completion_tokens)} out, {money(seat.cost)}
          {seat.left_out.length > 0 && `; not counted: ${seat.left_out.join(", ")}`}
        </p>
      ))}
      {plan.hosts.length > 0 && (
        <p>
          These computers receive the words: <b>{plan.hosts.map(visible).join(", ")}</b>
        </p>
      )}
      <p className="soft small">About {bytes(plan.bytes)} in the store.</p>
      {asks && plan.note && <p className="soft small">{visible(plan.note)}</p>}
      <h3>The same in a terminal</h3>
      <Command label="Command that starts this run" text={plan.command} />
    </>
  );
}
