// The groups of a room on the teacher's board: who sits where, beginning rounds, and who assesses.
import "#/practise/group/group.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post, put } from "#/api/client.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { toast } from "#/design/Toasts.tsx";
import { capital, visible } from "#/design/text.ts";
import type { GroupState, SeatOfGroup } from "#/practise/group/api.ts";
import { groupName, seatsFor, seatTitle, statusOf } from "#/practise/group/words.ts";
import { address, inWords, type Learner, type Room, type RoomState, type SittingInRoom } from "../api.ts";
import { tutorWords } from "./words.ts";

export function GroupsTab({ room, state }: { room: Room; state: RoomState }) {
  return (
    <div className="stack" style={{ paddingTop: "1rem", gap: "1.25rem" }}>
      <ul className="tiles groups">
        {state.groups.map((group) => (
          <li key={group.number} className="card">
            <Group room={room} state={state} group={group} />
          </li>
        ))}
      </ul>
      <Assessors room={room} state={state} />
    </div>
  );
}

function Group({ room, state, group }: { room: Room; state: RoomState; group: GroupState }) {
  const act = useAct(room.id);
  const { text, look } = statusOf(group);
  const here = group.seats.filter((one) => one.learner);
  const waits = group.status === "gathering" || group.status === "between";
  const sitting = sittingOf(state.learners, group.sitting);
  return (
    <>
      <div className="row spread">
        <h2>{groupName(group.number, state.groups.length)}</h2>
        <Badge look={look}>{capital(text)}</Badge>
      </div>
      <ul className="seats">
        {seatsFor(room.group!.students).map((seat) => {
          const offered = group.seats.find((one) => one.seat === seat);
          return (
            <li key={seat}>
              <b>{seatTitle(seat)}</b>
              {offered ? <Seat room={room} state={state} group={group} seat={offered} /> : <span className="soft">simulated</span>}
            </li>
          );
        })}
      </ul>
      {(group.order ?? []).length > 0 && <Order group={group} />}
      {waits && (
        <p className="soft small">
          {here.length} of {group.seats.length} seats are taken; whoever is missing is played by a built-in player.
          {group.status === "gathering" && " The round begins by itself once all are taken."}
        </p>
      )}
      <div className="row">
        {waits && (
          <Button
            look="main"
            isDisabled={act.isPending || !here.length || !room.open}
            onPress={() => act.mutate(["post", `/groups/${group.number}/begin`, {}])}
          >
            {group.round ? `Begin round ${group.round + 1}` : "Begin the round"}
          </Button>
        )}
        {group.sitting && !sitting?.hidden && (
          <LinkButton href={`/teach/rooms/${room.id}/assess/${group.sitting}`}>Read everything</LinkButton>
        )}
      </div>
      {sitting?.hidden && <p className="soft small">You cannot read the round: {visible(sitting.hidden)}.</p>}
    </>
  );
}

/** A seat that people may choose: who has it, whether the round waits for them, and giving it to a built-in player. */
function Seat({ room, state, group, seat }: { room: Room; state: RoomState; group: GroupState; seat: SeatOfGroup }) {
  if (!seat.learner) return <span className="soft">{group.status === "going_on" ? "simulated" : "free"}</span>;
  const sitting = group.status === "going_on" ? going(state.learners, seat) : undefined;
  return (
    <>
      <span>{visible(seat.who)}</span>
      {sitting?.status === "yours" && <Badge look="warn">the round waits for this seat</Badge>}
      {group.status === "going_on" && !sitting && <Badge>simulated in this round</Badge>}
      {sitting && <HandBack room={room} sitting={sitting} name={visible(seat.who)} seat={seatTitle(seat.seat)} />}
    </>
  );
}

function HandBack({ room, sitting, name, seat }: { room: Room; sitting: SittingInRoom; name: string; seat: string }) {
  const act = useAct(room.id);
  const [asking, ask] = useState(false);
  return (
    <>
      <Button look="quiet" aria-label={`Give to a built-in player: the seat of ${name}`} onPress={() => ask(true)}>
        Give to a built-in player
      </Button>
      <Dialog
        open={asking}
        onClose={() => ask(false)}
        heading={`Give the seat of ${name} away?`}
        ends={
          <>
            <Button onPress={() => ask(false)}>Not now</Button>
            <Button
              look="final"
              className="sure"
              onPress={() => {
                act.mutate(["post", `/hand-back/${sitting.id}`, {}]);
                ask(false);
              }}
            >
              Give it away
            </Button>
          </>
        }
      >
        <p>
          A built-in player goes on as {seat} from here, and all in the round are told. {name} cannot come back to this round,
          and sits there again in the next one.
        </p>
      </Dialog>
    </>
  );
}

/** The tutors in the order in which the group meets them, for the teacher alone. */
function Order({ group }: { group: GroupState }) {
  return (
    <ol className="plain-list small" aria-label="Tutors in order, which learners are not told">
      {group.order!.map((tutor, k) => (
        <li key={tutor}>
          Round {k + 1}: {visible(tutorWords(tutor))}
          {k + 1 === group.round && <b> (latest)</b>}
        </li>
      ))}
    </ol>
  );
}

/** Learners without a seat may be named to assess. */
function Assessors({ room, state }: { room: Room; state: RoomState }) {
  const act = useAct(room.id);
  const seated = new Set(state.groups.flatMap((group) => group.seats.map((one) => one.learner)));
  const free = state.learners.filter((one) => one.assesses || !seated.has(one.id));
  return (
    <section className="stack" aria-label="Assessors">
      <h2>Assessors</h2>
      <p className="soft small">
        A learner without a seat may assess: they read drafts and reviews too, of rounds in which all permit the teacher to
        read. Of tutors that are compared, they are not told which one it is.
      </p>
      {free.length === 0 && <p className="soft">Everybody has a seat.</p>}
      <ul className="seats">
        {free.map((one) => (
          <li key={one.id}>
            <span>{visible(one.pseudonym)}</span>
            {one.assesses && <Badge look="own">assesses</Badge>}
            <Button
              isDisabled={act.isPending}
              onPress={() => act.mutate(["put", `/learners/${one.id}/assesses`, { on: !one.assesses }])}
            >
              {one.assesses ? `${visible(one.pseudonym)} no longer assesses` : `Let ${visible(one.pseudonym)} assess`}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function sittingOf(learners: Learner[], id: string): SittingInRoom | undefined {
  return learners.flatMap((one) => one.sittings).find((one) => one.id === id);
}

/** The sitting of whoever has a seat in the round that goes on; none once a built-in player has it. */
function going(learners: Learner[], { learner, seat }: SeatOfGroup): SittingInRoom | undefined {
  const own = learners.find((one) => one.id === learner)?.sittings ?? [];
  return own.findLast((one) => one.seat === seat && one.status !== "ended" && !one.pause?.what.startsWith(LEFT));
}

const LEFT = "This seat was left";

type Act = ["post" | "put", string, object];

function useAct(room: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ([how, part, body]: Act) => (how === "put" ? put : post)<RoomState>(address(room, part), body),
    onSuccess: (state) => queries.setQueryData(["room", room, "state"], state),
    onError: (error) => toast(inWords(error)),
  });
}
