// A round that goes on before one's own seat has been told anything: who is here, and for whom it waits.
import type { SittingState } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { Dots } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import type { GroupState } from "./api.ts";
import { seatedIn, waitsFor } from "./people.ts";
import { seatName } from "./words.ts";
import { WhoSits } from "./WhoSits.tsx";

export function Gathering({ state, group, leave }: { state: SittingState; group: GroupState; leave: () => void }) {
  const seated = seatedIn(state, () => "", group);
  return (
    <main className="gathering">
      <h1>{visible(state.title)}</h1>
      <p>You sit as {seatName(state.seat)}. Your turn comes by itself.</p>
      <p role="status" className="waits">
        <Dots /> <span>{waitsFor(state.thinking, seated)}</span>
      </p>
      <h2>Who sits where</h2>
      <WhoSits seated={seated} waiting={state.thinking} />
      <p className="row">
        <Button onPress={leave}>Leave</Button>
      </p>
    </main>
  );
}
