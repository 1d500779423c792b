// The seats of a room where groups share rounds: who has which, taking one, waiting, beginning, and going on.
import "#/practise/group/group.css";
import { useEffect, useRef } from "react";
import { useLocation, useParams } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Dots, Fault, Loading, WarnBar } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import type { JoinPage } from "../api.ts";
import { useGroups, useQuestionnaire, useSeatActs, type Groups, type GroupState } from "#/practise/group/api.ts";
import { groupName, seatsFor, seatTitle, statusOf } from "#/practise/group/words.ts";

export function SeatsPage({ room }: { room: JoinPage }) {
  const groups = useGroups(room.room);
  useOpensByItself(groups.data);
  if (groups.isPending) return <Loading />;
  if (groups.isError && !groups.data) return <Fault error={groups.error} again={() => void groups.refetch()} />;
  const { groups: all, mine, assesses, watch } = groups.data!;
  const first = all.find((one) => one.number === mine);
  return (
    <>
      {assesses && (
        <WarnBar>
          Your teacher lets you assess: you may read everything in these rounds, drafts and reviews too. Keep it to
          yourself.
        </WarnBar>
      )}
      {!mine && !assesses && (
        <p>
          {watch ? "Choose a seat, or follow a round without one." : "Choose a seat."}
        </p>
      )}
      <ul className="tiles groups">
        {[...(first ? [first] : []), ...all.filter((one) => one !== first)].map((group) => (
          <li key={group.number} className="card">
            <Group room={room} group={group} groups={groups.data!} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Opens one's own sitting when a round begins while one waits here; whoever came back decides for themselves. */
function useOpensByItself(groups: Groups | undefined): void {
  const [, go] = useLocation();
  const waited = useRef(false);
  useEffect(() => {
    if (!groups) return;
    const own = groups.groups.find((one) => one.number === groups.mine);
    if (own?.status !== "going_on") waited.current = true;
    else if (waited.current && own.sitting) go(`/practise/${own.sitting}`);
  }, [groups, go]);
}

function Group({ room, group, groups }: { room: JoinPage; group: GroupState; groups: Groups }) {
  const act = useSeatActs(room.room);
  const here = `/join/${useParams().code}`;
  const { text, look } = statusOf(group);
  const own = group.number === groups.mine;
  const name = groupName(group.number, groups.groups.length);
  const free = group.status !== "going_on" && group.status !== "over" && room.open;
  return (
    <>
      <div className="row spread">
        <h2>{name}</h2>
        <Badge look={look}>{capital(text)}</Badge>
      </div>
      <ul className="seats">
        {seatsFor(room.together!.students).map((seat) => {
          const taken = group.seats.find((one) => one.seat === seat);
          return (
            <li key={seat} className={taken?.you ? "yours" : ""}>
              <b>{seatTitle(seat)}</b>
              {!taken && <span className="soft">played by this computer</span>}
              {taken?.you && (
                <span>
                  {visible(taken.who)} <Badge look="own">you</Badge>
                </span>
              )}
              {taken && !taken.you && taken.who && <span>{visible(taken.who)}</span>}
              {taken && !taken.who && <span className="soft">{group.status === "going_on" ? "played by this computer" : "free"}</span>}
              {taken && !taken.who && free && (!groups.mine || own) && (
                <Button
                  look={groups.mine ? "quiet" : "main"}
                  isDisabled={act.isPending}
                  aria-label={`${groups.mine ? "Sit here instead" : "Sit here"}: ${seatTitle(seat)}, ${name}`}
                  onPress={() => act.mutate({ group: group.number, seat })}
                >
                  {groups.mine ? "Sit here instead" : "Sit here"}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {own && <Own room={room} group={group} busy={act.isPending} leave={() => act.mutate("leave")} />}
      {!own && group.round > 0 && (groups.assesses || (groups.watch && !groups.mine)) && (
        <p className="row">
          <LinkButton href={`${here}/${groups.assesses ? "assess" : "follow"}/${group.number}`}>
            {groups.assesses ? "Read everything" : "Follow the round"}
          </LinkButton>
        </p>
      )}
    </>
  );
}

/** What one may do in one's own group: wait, go on, answer the questions, leave the seat. */
function Own({ room, group, busy, leave }: { room: JoinPage; group: GroupState; busy: boolean; leave: () => void }) {
  const waits = room.open && (group.status === "gathering" || group.status === "between");
  const over = group.status === "between" || group.status === "over";
  return (
    <div className="stack">
      {over && group.sitting && <Over sitting={group.sitting} />}
      {waits && (
        <p role="status" className="waits">
          <Dots />
          <span>
            {waitsWords(group)} Your place opens by itself.
          </span>
        </p>
      )}
      {group.status === "going_on" && !group.sitting && (
        <p>A built-in player has your seat for the rest of this round. You sit there again in the next one, if there is one.</p>
      )}
      <div className="row">
        {group.status === "going_on" && group.sitting && (
          <LinkButton look="main" href={`/practise/${group.sitting}`}>
            Go on
          </LinkButton>
        )}
        {waits && (
          <Button isDisabled={busy} onPress={leave}>
            Leave my seat
          </Button>
        )}
      </div>
    </div>
  );
}

function waitsWords({ status, seats, round }: GroupState): string {
  if (status === "between") return `Round ${round + 1} begins when your teacher says so.`;
  const taken = seats.filter((one) => one.who).length;
  return `Waiting for others: ${taken} of ${seats.length} seats are taken. The round begins once all are, or when your teacher says so.`;
}

/** After a round: its questions until they are answered, and the debrief. */
function Over({ sitting }: { sitting: string }) {
  const asked = useQuestionnaire(sitting);
  if (!asked.data) return null;
  return (
    <div className="row">
      <LinkButton look={asked.data.answered ? "plain" : "main"} href={`/practise/${sitting}/questions`}>
        {asked.data.answered ? "Your answers" : "Answer the questions"}
      </LinkButton>
      <LinkButton href={`/practise/${sitting}/debrief`}>See the debrief</LinkButton>
    </div>
  );
}
