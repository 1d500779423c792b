// How a room is set up, what its models have used, and their ceiling.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { patch } from "#/api/client.ts";
import { Button } from "#/design/Button.tsx";
import { Choose, TextBox } from "#/design/Fields.tsx";
import { toast } from "#/design/Toasts.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { address, inWords, type Room, type RoomState } from "../api.ts";
import { TrialShown } from "../rooms/ModelTrial.tsx";
import { moment, seatTaken, SEES } from "../words.ts";

export function Setup({ room, state }: { room: Room; state: RoomState }) {
  const { disclosure, clock, ceiling } = room;
  const most = ceiling.money !== null && ceiling.money !== undefined ? `${ceiling.money}` : ceiling.tokens ? `${ceiling.tokens} tokens` : "";
  const used = state.used_money === null ? `${state.used_tokens} tokens` : `${state.used_money} (${state.used_tokens} tokens)`;
  return (
    <div className="stack" style={{ paddingTop: "1rem" }}>
      <dl className="told">
        <div>
          <dt>Cases</dt>
          {room.cases.map((one) => (
            <dd key={one.id}>
              {visible(one.title)} <span className="small">
                (for you: {visible(one.real)}; learners sit as {seatTaken(one.seat)})
              </span>
            </dd>
          ))}
        </div>
        {Object.entries(disclosure.plays).map(([seat, who]) => (
          <div key={seat}>
            <dt>{capital(seat.replaceAll("_", " "))}</dt>
            <dd>{visible(who)}</dd>
          </div>
        ))}
        <div>
          <dt>Marks</dt>
          <dd>{visible(disclosure.marks)}</dd>
        </div>
        <div>
          <dt>You see, of those who permit it</dt>
          <dd>{SEES[room.sees]}</dd>
        </div>
        {clock && (
          <div>
            <dt>Station clock</dt>
            <dd>
              {clock.reading_s} s to read, {plural(clock.minutes, "minute")}, bell {clock.bell_s} s before the end
            </dd>
          </div>
        )}
        {disclosure.hosts.length > 0 && (
          <div>
            <dt>Words are sent to</dt>
            <dd>{disclosure.hosts.map(visible).join(", ")}</dd>
          </div>
        )}
        {(state.used_tokens > 0 || most) && (
          <div>
            <dt>Used by models so far</dt>
            <dd>
              {used}
              {most && ` of at most ${most}`}
            </dd>
          </div>
        )}
        {room.expires !== null && (
          <div>
            <dt>Closes</dt>
            <dd>{moment(room.expires)}</dd>
          </div>
        )}
      </dl>
      {room.trials.length > 0 && <Ceiling room={room} />}
      {room.trials.map((trial) => (
        <TrialShown key={`${trial.model} ${trial.seat}`} trial={trial} />
      ))}
    </div>
  );
}

/** The ceiling may be set and raised while the room goes on; whoever it paused is tried again by the server. */
function Ceiling({ room }: { room: Room }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<"money" | "tokens">(room.ceiling.money ? "money" : "tokens");
  const [amount, setAmount] = useState("");
  const raise = useMutation({
    mutationFn: () => patch<Room>(address(room.id), { ceiling: { [kind]: Number(amount) } }),
    onSuccess: () => {
      setAmount("");
      toast("The ceiling is set. Whoever it paused goes on within a minute.");
      return queries.invalidateQueries({ queryKey: ["room", room.id] });
    },
    onError: (error) => toast(inWords(error)),
  });
  return (
    <form
      className="row who-marks"
      onSubmit={(event) => {
        event.preventDefault();
        raise.mutate();
      }}
    >
      <Choose
        label="Ceiling"
        value={kind}
        onChange={setKind}
        options={[
          { id: "money", text: "In the currency of the prices" },
          { id: "tokens", text: "In tokens" },
        ]}
      />
      <TextBox label="At most, all sittings together" value={amount} onChange={setAmount} />
      <Button type="submit" isDisabled={!(Number(amount) > 0) || raise.isPending}>
        Set the ceiling
      </Button>
    </form>
  );
}
