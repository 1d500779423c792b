// The shell of every sitting: loads it, follows it, and shows disclosure, room or end.
import "./sitting.css";
import { Suspense, useState } from "react";
import { useLocation, useParams } from "wouter";
import { post } from "#/api/client.ts";
import { focusHeading } from "#/app/focus.ts";
import { Shell } from "#/app/Shell.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Fault, Loading, OfflineBar, PausedBar, WarnBar } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import type { SittingState } from "#/api/types-of.ts";
import { GiveSeat } from "#/practise/group/GiveSeat.tsx";
import { useGroup } from "#/practise/group/useGroup.ts";
import { DisclosurePage } from "./DisclosurePage.tsx";
import { casesOf, goneWords, isGone } from "./gone.ts";
import { useKept } from "./kept.ts";
import { YourWords } from "./Permissions.tsx";
import { TimeBar } from "./TimeBar.tsx";
import { roomOf } from "./rooms.tsx";
import { useSitting } from "./useSitting.ts";

export default function SittingScreen() {
  const { sitting: id = "" } = useParams();
  const { sitting, error, reload } = useSitting(id);
  const [begun, setBegun] = useKept(`osler.begun.${id}`, false);
  const [leaving, setLeaving] = useState(false);
  const begin = () => {
    setBegun(true);
    window.setTimeout(focusHeading, 100); // the room is there by then, or its heading comes a moment later
  };

  if (!sitting)
    return (
      <Shell>
        {error ? (
          <>
            <h1 className="unseen">This sitting cannot be shown</h1>
            <Fault error={error} {...(isGone(error) ? { heading: goneWords(error) } : { again: reload })} />
            <p className="row" style={{ justifyContent: "center" }}>
              <LinkButton href="/practise">To the cases</LinkButton>
            </p>
          </>
        ) : (
          <Loading>The patient is being called in</Loading>
        )}
      </Shell>
    );

  const { state } = sitting;
  const resume = () => post(`/api/sittings/${encodeURIComponent(id)}/resume`).then(reload, reload);
  const spoken = state.feed.some((item) => item.reply && item.seat === state.seat);
  // In a room the same was read and agreed to at its door, and its clock does not wait.
  if (!begun && !spoken && !state.room && state.status !== "ended")
    return (
      <Shell>
        <DisclosurePage state={state} onBegin={begin} />
      </Shell>
    );

  const Room = roomOf(state.protocol, state.seat);
  const leave = () => setLeaving(true);
  return (
    <div className="sitting">
      {sitting.offline && <OfflineBar />}
      {state.status === "paused" && (
        <Paused state={state} again={() => void resume()} />
      )}
      {state.changed && state.status !== "ended" && <WarnBar>{visible(state.changed)}</WarnBar>}
      {state.clock && state.protocol === "consultation" && <TimeBar state={state} reload={reload} />}
      <Suspense fallback={<Loading />}>
        <Room sitting={sitting} leave={leave} />
      </Suspense>
      <LeaveDialog state={state} open={leaving} onClose={() => setLeaving(false)} />
    </div>
  );
}

function Paused({ state, again }: { state: SittingState; again: () => void }) {
  const group = useGroup(state);
  const left = group?.status === "going_on" && group.sitting !== state.id; // the others play on without this seat
  return (
    <PausedBar
      action={left ? <LinkButton href={casesOf(state)}>To the seats</LinkButton> : <Button onPress={again}>Try again</Button>}
    >
      {state.pause ? visible(`${state.pause.what} ${state.pause.mend}`) : "The encounter stands still for the moment."}{" "}
      {!left && "Nothing is lost."}
    </PausedBar>
  );
}

function LeaveDialog({ state, open, onClose }: { state: SittingState; open: boolean; onClose: () => void }) {
  const { id, code, disclosure, seat, status } = state;
  const back = casesOf(state);
  const group = useGroup(state);
  const [, go] = useLocation();
  const leave = () => {
    void post(`/api/sittings/${encodeURIComponent(id)}/leave`).catch(() => undefined);
    go(back);
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      heading="Leave for now?"
      ends={
        <>
          <Button onPress={onClose}>Stay</Button>
          <Button look="main" onPress={leave}>
            Leave
          </Button>
        </>
      }
    >
      <p>
        Nothing is lost. {group ? "The others wait for you, wherever your word is wanted. " : ""}Come back whenever you like:
        it stands among the cases to go on with.
      </p>
      {code && (
        <p>
          To go on with another device, open Osler there and enter this code: <b className="code">{code}</b>
        </p>
      )}
      <div className="row">
        <YourWords id={id} uses={disclosure.uses} back={back} />
        {group && status !== "ended" && <GiveSeat sitting={id} door={state.door ?? ""} seat={seat} />}
      </div>
    </Dialog>
  );
}
