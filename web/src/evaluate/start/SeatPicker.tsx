// Who sits in one seat. A model is tried with one real turn, and what came is shown.
import { useMutation } from "@tanstack/react-query";
import { post } from "#/api/client.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Fault } from "#/design/States.tsx";
import { insideAndAround, modelsIn } from "#/design/players.ts";
import { capital, visible } from "#/design/text.ts";
import type { SeatChoice, StartForm, TurnTaken } from "../types.ts";
import { money, number, plain } from "../words.ts";

/** How many a player that is asked several times is asked, if nothing else is said. */
const USUAL = 3;

export function SeatPicker({
  protocol,
  seat,
  models,
  value,
  onChange,
}: {
  protocol: string;
  seat: SeatChoice;
  models: StartForm["models"];
  value: string;
  onChange: (player: string) => void;
}) {
  const [base, wrapper] = insideAndAround(value);
  const [playing] = insideAndAround(base || seat.default);
  const [model = ""] = modelsIn(playing);
  const compose = (player: string, wrapped: string) => onChange(wrapped ? `${player || seat.default}+${wrapped}` : player);
  return (
    <div className="stack seat">
      <h3>
        {capital(plain(seat.seat))} {seat.under_test && <Badge look="own">under test</Badge>}
      </h3>
      <Choose
        label="Player"
        value={base}
        onChange={(player) => compose(player, wrapper)}
        options={[
          { id: "", text: `${plain(seat.default || "none")} (as usual)` },
          ...seat.players.filter((name) => name !== seat.default).map((name) => ({ id: name, text: plain(name) })),
          ...(seat.optional && seat.default !== "none" ? [{ id: "none", text: "nobody" }] : []),
          ...(seat.models ? models.map((one) => ({ id: one.value, text: one.words })) : []),
        ]}
      />
      {model && seat.wrappers.length > 0 && (
        <Choose
          label="Extra reasoning or votes"
          value={wrapper}
          onChange={(wrapped) => compose(base, wrapped)}
          options={[{ id: "", text: "None" }, ...seat.wrappers.map((name) => name.replace(/^\+/, "").replace(":N", `:${USUAL}`)).map((id) => ({ id, text: id }))]}
        />
      )}
      {model && <TryModel key={model} model={model} protocol={protocol} seat={seat.seat} />}
    </div>
  );
}

function TryModel({ model, protocol, seat }: { model: string; protocol: string; seat: string }) {
  const turn = useMutation({ mutationFn: () => post<TurnTaken>("/api/models/turn", { model, protocol, seat }) });
  return (
    <div className="stack try-model">
      <Button onPress={() => turn.mutate()} isDisabled={turn.isPending}>
        {turn.isPending ? "The model is thinking" : "Try one real turn"}
      </Button>
      {turn.error && <Fault error={turn.error} />}
      {turn.data && <Taken taken={turn.data} />}
    </div>
  );
}

function Taken({ taken }: { taken: TurnTaken }) {
  const figures = [
    taken.seconds !== null && `${taken.seconds.toFixed(1)} s`,
    taken.prompt_tokens !== null && `${number(taken.prompt_tokens)} tokens in`,
    taken.completion_tokens !== null && `${number(taken.completion_tokens)} tokens out`,
    `cost: ${money(taken.cost)}`,
  ].filter(Boolean);
  return (
    <div className="stack" role="status">
      <div className="row">
        <Badge look={taken.ok ? "good" : "bad"}>{taken.ok ? "It can play" : "It cannot play"}</Badge>
        <span className="soft small">
          {visible(taken.model)} at {visible(taken.host)}
        </span>
      </div>
      {taken.what && <p>{visible(taken.what)}</p>}
      {taken.mend && <p>{visible(taken.mend)}</p>}
      {taken.reply && <pre>{visible(taken.reply)}</pre>}
      <p className="soft small">{figures.join(" · ")}</p>
    </div>
  );
}
