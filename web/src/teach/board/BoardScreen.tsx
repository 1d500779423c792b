// A room's board: the way in, everybody's encounters, what is contested, and closing the room.
import "../teach.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import { patch, post } from "#/api/client.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { TextBox } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Fault, Loading, OfflineBar, PausedBar } from "#/design/States.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { toast } from "#/design/Toasts.tsx";
import { visible } from "#/design/text.ts";
import { GroupsTab } from "../group/GroupsTab.tsx";
import { Contests } from "../marks/Contests.tsx";
import { address, inWords, useRoom, useRoomState, type Room, type RoomState } from "../api.ts";
import { Invite } from "./Invite.tsx";
import { Learners } from "./Learners.tsx";
import { Setup } from "./Setup.tsx";

export default function BoardScreen() {
  const { room: id = "" } = useParams();
  const room = useRoom(id);
  const state = useRoomState(id);
  const [tab, choose] = useState("");
  if (room.isPending) return <Loading />;
  if (room.isError)
    return (
      <>
        <h1 className="unseen">This room cannot be shown</h1>
        <Fault error={room.error} again={() => void room.refetch()} />
      </>
    );
  const now = state.data;
  return (
    <div className="teach">
      <div className="row spread">
        <div className="row">
          <h1>{visible(room.data.name)}</h1>
          <Badge look={room.data.open ? "good" : "quiet"}>{room.data.open ? "open" : "closed"}</Badge>
        </div>
        <LinkButton look="quiet" href="/teach">
          <Icon name="back" /> Your rooms
        </LinkButton>
      </div>
      {state.isError && state.data && <OfflineBar />}
      <Controls room={room.data} state={now} />
      {(now || state.isError) && <Invite room={room.data} learners={now?.learners.length ?? 0} />}
      {now?.held && <PausedBar>All encounters are stopped. Nothing is lost.</PausedBar>}
      {state.isError && !now && <Fault error={state.error} again={() => void state.refetch()} />}
      {now && (
        <Tabs
          label="Board"
          chosen={tab || (room.data.group ? "groups" : "learners")}
          onChoose={choose}
          items={[
            ...(room.data.group ? [{ id: "groups", title: "Groups", body: <GroupsTab room={room.data} state={now} /> }] : []),
            {
              id: "learners",
              title: `Learners (${now.learners.length})`,
              body: <Learners room={room.data} state={now} />,
            },
            {
              id: "contests",
              title: now.waiting ? `"I did that" (${now.waiting})` : '"I did that"',
              body: <Contests room={id} />,
            },
            { id: "setup", title: "Set-up", body: <Setup room={room.data} state={now} /> },
          ]}
        />
      )}
    </div>
  );
}

function Controls({ room, state }: { room: Room; state: RoomState | undefined }) {
  const queries = useQueryClient();
  const [asking, ask] = useState(false);
  const [words, setWords] = useState("");
  const again = () => void queries.invalidateQueries({ queryKey: ["room", room.id] });
  const failed = (error: unknown) => toast(inWords(error));
  const change = useMutation({
    mutationFn: (body: object) => patch<Room>(address(room.id), body),
    onSuccess: again,
    onError: failed,
  });
  const hold = useMutation({
    mutationFn: (body: object) => post<RoomState>(address(room.id, "/hold"), body),
    onSuccess: again,
    onError: failed,
  });
  const release = useMutation({
    mutationFn: () => post<RoomState>(address(room.id, "/release"), {}),
    onSuccess: again,
    onError: failed,
  });
  return (
    <div className="row">
      {state?.held ? (
        <Button look="main" onPress={() => release.mutate()} isDisabled={release.isPending}>
          Let all go on
        </Button>
      ) : (
        <Button onPress={() => ask(true)}>
          <Icon name="pause" /> Stop all
        </Button>
      )}
      <LinkButton href={`/teach/rooms/${room.id}/results`}>
        <Icon name="chart" /> Results
      </LinkButton>
      {room.group && <LinkButton href={`/teach/rooms/${room.id}/answers`}>Answers</LinkButton>}
      {room.held_back && (
        <Button onPress={() => change.mutate({ held_back: false })} isDisabled={change.isPending}>
          Release the debriefs
        </Button>
      )}
      <Button onPress={() => change.mutate({ open: !room.open, ...(room.open ? {} : { hours: 24 }) })}>
        <Icon name="lock" /> {room.open ? "Close the room" : "Open again for a day"}
      </Button>
      <Dialog
        open={asking}
        onClose={() => ask(false)}
        heading="Stop all encounters?"
        ends={
          <>
            <Button onPress={() => ask(false)}>Not now</Button>
            <Button
              look="main"
              onPress={() => {
                hold.mutate({ words });
                ask(false);
              }}
            >
              Stop all
            </Button>
          </>
        }
      >
        <p>Nothing is lost. Everybody goes on with the same turn when you let them.</p>
        <TextBox
          label="What learners read"
          value={words}
          onChange={setWords}
          max={300}
          placeholder="Your teacher has stopped this encounter for now."
        />
      </Dialog>
    </div>
  );
}
