// A standardized-patient station: the door first, then the room with patient, people, talk, and two boxes.
import "./room-bar.css";
import "./station.css";
import { useCallback, useState } from "react";
import type { Move } from "#/api/types-of.ts";
import { focusHeading } from "#/app/focus.ts";
import { ThemeSwitch } from "#/app/Shell.tsx";
import { useWide } from "#/app/useWide.ts";
import { Button } from "#/design/Button.tsx";
import { Loading } from "#/design/States.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { clock, plural, visible } from "#/design/text.ts";
import { Findings } from "#/practise/consultation/Findings.tsx";
import { pendingIn, resultsIn } from "#/practise/consultation/log.ts";
import { useKept } from "#/practise/sitting/kept.ts";
import type { RoomProps } from "#/practise/sitting/roomProps.ts";
import { useConcerns } from "#/practise/talk/useConcerns.tsx";
import { Feed } from "#/practise/talk/Feed.tsx";
import { PatientStrip } from "#/practise/talk/PatientStrip.tsx";
import { People, VitalStrip } from "./Beside.tsx";
import { stands, useTime } from "./clock.ts";
import { Door } from "./Door.tsx";
import { ownLines, peopleIn, signsIn, stationItems, turnNow, type StationView } from "./log.ts";
import { AT_THE_END, Bell, STORY_TIME, StationClock } from "./StationClock.tsx";
import { NOTHING, TurnBox, type Turn } from "./TurnBox.tsx";
import { DebriefLink } from "../sitting/DebriefLink.tsx";

export default function StationRoom({ sitting, leave }: RoomProps) {
  const { state, reload } = sitting;
  const ended = state.status === "ended";
  const [started, setStarted] = useKept(`osler.started.${state.id}`, false);
  const time = useTime(state.clock, stands(state), useCallback(() => reload(), [reload]));
  const view = state.view as unknown as StationView;
  if (!view.people) return <Loading>The station is being set up</Loading>;
  const spoken = state.feed.some((item) => item.reply);
  const reading = time?.phase === "reading";
  if (!ended && !spoken && (!started || reading))
    return (
      <Door
        title={state.title}
        view={view}
        time={time}
        lasts={state.clock ? Math.round((state.clock.ends - state.clock.reading_ends) / 60) : 0}
        onStart={() => {
          setStarted(true);
          window.setTimeout(focusHeading, 50);
        }}
        leave={leave}
      />
    );
  return <Inside sitting={sitting} leave={leave} view={view} time={time} />;
}

function Inside({
  sitting,
  leave,
  view,
  time,
}: RoomProps & { view: StationView; time: ReturnType<typeof useTime> }) {
  const { state, sending, refused } = sitting;
  const wide = useWide(64);
  const [tab, setTab] = useState("room");
  const [turn, setTurn] = useKept<Turn>(`osler.turn.${state.id}.${state.ticket ?? ""}`, NOTHING);
  const { settled, window: doubts } = useConcerns(sitting, leave);

  const items = stationItems(state, sitting.readings);
  const results = resultsIn(items);
  const pending = pendingIn(state.feed);
  const { here, left } = peopleIn(view, state.feed);
  const patient = here[0];
  const seen = signsIn(state.feed);
  const now = state.feed.at(-1)?.minute ?? 0;
  const ended = state.status === "ended";
  const busy = state.status !== "yours" || !!sending || time?.phase === "over";

  const send = async (move: Move) => {
    const chosen = await settled(move);
    if (!chosen) return;
    setTab("room");
    if (await sitting.send(chosen)) setTurn(NOTHING);
  };
  const mine = sending ? ownLines("sending", sending) : [];
  const going = mine.find((line) => line.kind === "words");
  const thinking = state.status !== "thinking" && !sending ? "" : state.thinking.includes("patient") ? (patient?.name ?? "The patient") : "Everybody";

  const header = (
    <header className="room-bar">
      {patient ? (
        <PatientStrip
          heading
          name={patient.name}
          about={patient.about}
          age={patient.age}
          sex={patient.sex}
          mood={patient.mood}
          seed={patient.name}
        />
      ) : (
        <h1 className="who">{visible(state.title)}</h1>
      )}
      {time && <StationClock time={time} />}
      <span className="row leaving">
        {wide && <ThemeSwitch />}
        <Button look="quiet" onPress={leave}>
          Leave
        </Button>
      </span>
      <div className="under">
        <VitalStrip seen={seen} />
        <People here={here.slice(1)} left={left} />
      </div>
      <p className="left">
        <span>
          <b>Turn {turnNow(state.feed)}</b>
          {state.left.last_chance
            ? ", the last"
            : state.left.turns !== null && state.left.turns !== undefined && state.left.turns < 20
              ? `, ${plural(state.left.turns, "more turn")}`
              : ""}
        </span>
        <span>
          <b>{clock(now)}</b> of the patient's time
        </span>
      </p>
    </header>
  );
  const task = (
    <section className="stack" aria-label="Your task">
      <h2>Your task</h2>
      <p>{visible(view.instructions)}</p>
      <p className="soft small">{STORY_TIME}</p>
      <h3>Where you are</h3>
      <p>{visible(view.setting)}</p>
      {view.opening && <p>{visible(view.opening)}</p>}
      {view.whole_case && <p>{visible(view.whole_case)}</p>}
      {time && <p className="soft">{AT_THE_END}</p>}
    </section>
  );
  const talk = (
    <section className="talk" aria-label="In the room">
      <h2 className="unseen">In the room</h2>
      <div className="talk-scroll">
        <Feed
          items={[...items, ...mine.filter((line) => line !== going)]}
          sending={going?.kind === "words" ? going : null}
          thinking={thinking}
          onRead={sitting.read}
          named
          label="What is said and what happens"
        />
      </div>
      {ended ? (
        <div className="composer ended" role="status">
          <p>
            <b>The station is over.</b> {visible(state.ending)}
          </p>
          <DebriefLink state={state} />
        </div>
      ) : (
        <TurnBox
          turn={turn}
          onTurn={setTurn}
          onSend={(move) => void send(move)}
          busy={busy}
          refused={refused || visible(state.notice)}
        />
      )}
    </section>
  );
  const findings = <Findings results={results} pending={pending} onRead={sitting.read} />;
  const bell = time && !ended ? <Bell time={time} /> : null;
  if (wide)
    return (
      <main className="station wide">
        {header}
        {bell ?? <span />}
        <div className="columns">
          <div className="side" tabIndex={0}>{task}</div>
          {talk}
          <div className="side" tabIndex={0}>{findings}</div>
        </div>
        {doubts}
      </main>
    );
  return (
    <main className="station">
      {header}
      {bell ?? <span />}
      <Tabs
        label="Station"
        className="phone-tabs"
        chosen={tab}
        onChoose={setTab}
        items={[
          { id: "room", title: "Room", body: talk },
          {
            id: "findings",
            title: `Findings${results.length ? ` (${results.length})` : ""}`,
            body: <div className="side" tabIndex={0}>{findings}</div>,
          },
          { id: "task", title: "Task", body: <div className="side" tabIndex={0}>{task}</div> },
        ]}
      />
      {doubts}
    </main>
  );
}
