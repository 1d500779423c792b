// One real turn of a model, shown before a room opens: what it says, how long it takes, what a sitting may cost.
import { useMutation } from "@tanstack/react-query";
import { post } from "#/api/client.ts";
import { Button } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Dots } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import { inWords, type Trial } from "../api.ts";

export function ModelTrial({ model, seat, protocol }: { model: string; seat: string; protocol: string }) {
  const trial = useMutation({ mutationFn: () => post<Trial>("/api/rooms/try", { model, seat, protocol }) });
  return (
    <div className="stack">
      <div className="row">
        <Button onPress={() => trial.mutate()} isDisabled={trial.isPending}>
          {trial.isPending ? <Dots /> : <Icon name="say" />} Try one real turn
        </Button>
        <span className="soft small">It is tried again when the room opens. One turn costs next to nothing.</span>
      </div>
      {trial.isError && (
        <p className="notice" role="alert">
          {visible(inWords(trial.error))}
        </p>
      )}
      {trial.data && <TrialShown trial={trial.data} />}
    </div>
  );
}

export function TrialShown({ trial }: { trial: Trial }) {
  const { ok, said, what, mend, host, seconds, prompt_tokens, completion_tokens, sitting_price, basis } = trial;
  const tokens = prompt_tokens === null ? "tokens not told" : `${prompt_tokens} + ${completion_tokens ?? 0} tokens`;
  return (
    <div className={`trial ${ok ? "" : "bad"}`} role="status">
      <b>
        {trial.model.slice(6)} as the {trial.seat.replaceAll("_", " ")}, at {visible(host)}
      </b>
      {said && <q>{visible(said)}</q>}
      {what && <span>{visible(what)}</span>}
      {mend && <span>{visible(mend)}</span>}
      {ok && (
        <span className="small">
          {seconds} s, {tokens}.{" "}
          {sitting_price !== null && <b>About {sitting_price} a sitting: </b>}
          {sitting_price === null && trial.sitting_tokens !== null && <b>About {trial.sitting_tokens} tokens a sitting: </b>}
          {visible(basis)}.
        </span>
      )}
    </div>
  );
}
