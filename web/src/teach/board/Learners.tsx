// Who is in the room, and how far they are: as much as each of them permits.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { post, put } from "#/api/client.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty } from "#/design/States.tsx";
import { toast } from "#/design/Toasts.tsx";
import { modelsIn } from "#/design/players.ts";
import { capital, plural, visible } from "#/design/text.ts";
import { address, inWords, type Learner, type Mark, type Room, type RoomState, type SittingInRoom } from "../api.ts";
import { figure, left, markedBy, STATUS } from "../words.ts";

const EXTRA = [0, 10, 25, 33, 50, 100];

export function Learners({ room, state }: { room: Room; state: RoomState }) {
  const gone = state.left > 0 && (
    <p className="soft gone">
      {state.left} {state.left === 1 ? "has" : "have"} left.
    </p>
  );
  if (!state.learners.length)
    return (
      <Empty icon="consult" heading={gone ? "Nobody is here" : "Nobody has joined yet"}>
        {gone}
        <p>Show the code on the wall. Learners appear here as they join.</p>
      </Empty>
    );
  return (
    <>
      <ul className="tiles" style={{ paddingTop: "1rem" }}>
        {state.learners.map((one) => (
          <li key={one.id} className="card learner">
            <Head learner={one} room={room} />
            {one.deleted && <p className="soft small">deleted an encounter</p>}
            {!one.deleted && one.sittings.length === 0 && <p className="soft small">has not sat down yet</p>}
            {one.sittings.map((sitting) => (
              <Sat key={sitting.id} sitting={sitting} room={room} now={state.now} />
            ))}
            {one.used_up.map((id) => (
              <Again key={id} learner={one} id={id} room={room} />
            ))}
          </li>
        ))}
      </ul>
      {gone}
    </>
  );
}

function Head({ learner, room }: { learner: Learner; room: Room }) {
  const act = useAct(room.id);
  return (
    <div className="row spread">
      <h2>{visible(learner.pseudonym)}</h2>
      {room.clock && (
        <Choose
          label="More time"
          value={String(learner.extra)}
          onChange={(per_cent) => act.mutate(["put", `/learners/${learner.id}/extra`, { per_cent: Number(per_cent) }])}
          options={[...new Set([...EXTRA, learner.extra])].map((one) => ({
            id: String(one),
            text: one ? `${one} % more` : "none",
          }))}
        />
      )}
    </div>
  );
}

/** A station with a clock is taken once; its teacher may let one learner begin again. */
function Again({ learner, id, room }: { learner: Learner; id: string; room: Room }) {
  const act = useAct(room.id);
  const [asking, ask] = useState(false);
  const name = visible(learner.pseudonym);
  const title = visible(room.cases.find((one) => one.id === id)?.title ?? "");
  return (
    <div className="row">
      <Button onPress={() => ask(true)}>
        <Icon name="again" size={18} /> Let {name} begin again
      </Button>
      {room.cases.length > 1 && <span className="soft small">{title}</span>}
      <Dialog
        open={asking}
        onClose={() => ask(false)}
        heading={`Let ${name} begin again?`}
        ends={
          <>
            <Button onPress={() => ask(false)}>Not now</Button>
            <Button
              look="main"
              onPress={() => {
                act.mutate(["post", `/learners/${learner.id}/again`, { case: id }]);
                ask(false);
              }}
            >
              Let {name} begin again
            </Button>
          </>
        }
      >
        <p>
          {name} may take {title} once more, with the whole time. What was taken before stays in the results.
        </p>
      </Dialog>
    </div>
  );
}

function Sat({ sitting, room, now }: { sitting: SittingInRoom; room: Room; now: number }) {
  const act = useAct(room.id);
  const { text, look } = STATUS[sitting.status];
  const here = `/teach/rooms/${room.id}`;
  const goesOn = sitting.status !== "ended";
  const held = sitting.pause?.where === "your teacher";
  const fault = sitting.pause !== null && !held;
  return (
    <div className="sat">
      <div className="row spread">
        <b>{visible(sitting.title)}</b>
        <Badge look={look}>{text}</Badge>
      </div>
      <div className="facts">
        <span>{plural(sitting.turns, "turn")}</span>
        {sitting.minutes > 0 && <span>{sitting.minutes} simulated min</span>}
        {sitting.clock && goesOn && <Countdown ends={sitting.clock.ends} now={now} />}
        {sitting.contests > 0 && <Badge look="warn">{sitting.contests} contested</Badge>}
      </div>
      {sitting.substitutes && <p className="soft small">Since you let others play: {visible(sitting.substitutes)}.</p>}
      {sitting.pause && (
        <p className={held ? "said" : "notice"}>
          {held
            ? `You stopped it: ${visible(sitting.pause.what)}`
            : `${paused(sitting.pause)} The learner waits, and nothing is lost.`}
        </p>
      )}
      {sitting.marks.length > 0 && (
        <ul className="facts">
          {heads(sitting.marks).map((mark) => (
            <li key={`${mark.by} ${mark.name}`}>
              {visible(mark.words)} ({visible(markedBy(mark.by))}): <b>{figure(mark)}</b>
            </li>
          ))}
        </ul>
      )}
      {sitting.hidden && <p className="soft small">You cannot read it: {visible(sitting.hidden)}.</p>}
      {!sitting.hidden && sitting.unshared && (
        <p className="soft small">Not for a class: {visible(sitting.unshared)}.</p>
      )}
      <div className="row">
        {!sitting.hidden && <LinkButton href={`${here}/read/${sitting.id}`}>Read</LinkButton>}
        {!sitting.unshared && <LinkButton href={`${here}/show/${sitting.id}`}>Show to the class</LinkButton>}
        {sitting.may_mark && (
          <LinkButton href={`${here}/sheet/${sitting.id}`}>Mark</LinkButton>
        )}
        {goesOn && sitting.status !== "paused" && (
          <Button onPress={() => act.mutate(["post", "/hold", { sitting: sitting.id }])}>
            <Icon name="pause" size={18} /> Stop
          </Button>
        )}
        {sitting.status === "paused" && (
          <Button look="main" onPress={() => act.mutate(["post", "/release", { sitting: sitting.id }])}>
            {fault ? "Try again" : "Let go on"}
          </Button>
        )}
        {fault && Object.values(room.players).some((name) => modelsIn(name).length > 0) && (
          <Button
            onPress={() =>
              act.mutate([
                "post",
                "/release",
                {
                  sitting: sitting.id,
                  players: Object.fromEntries(Object.keys(room.players).map((seat) => [seat, "baseline"])),
                },
              ])
            }
          >
            Go on with the built-in player
          </Button>
        )}
      </div>
    </div>
  );
}

/** Why it paused and what to do, in sentences for the teacher. */
function paused({ what, where, mend }: NonNullable<SittingInRoom["pause"]>): string {
  return [where ? `${capital(visible(what))}, at ${visible(where)}.` : `${capital(visible(what))}.`, visible(mend)]
    .filter(Boolean)
    .join(" ");
}

/** The first figure of each who marked. */
function heads(marks: Mark[]): Mark[] {
  return marks.filter((mark, at) => marks.findIndex((one) => one.by === mark.by) === at);
}

/** Seconds left, counted down here and set right by each look at the server. */
function Countdown({ ends, now }: { ends: number; now: number }) {
  const [begun, setBegun] = useState(() => performance.now());
  const [, tick] = useState(0);
  useEffect(() => setBegun(performance.now()), [now]);
  useEffect(() => {
    const timer = window.setInterval(() => tick((count) => count + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const seconds = ends - now - (performance.now() - begun) / 1000;
  return <span>{seconds > 0 ? `${left(seconds)} left` : "time is up"}</span>;
}

type Act = ["post" | "put", string, object];

function useAct(room: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ([how, part, body]: Act) => (how === "put" ? put : post)<RoomState>(address(room, part), body),
    onSuccess: (state) => queries.setQueryData(["room", room, "state"], state),
    onError: (error) => toast(inWords(error)),
  });
}
