// The room of any other protocol: what the seat knows, what happens in the protocol's own words, and a form.
import "../station/room-bar.css";
import "./plain.css";
import { useCallback, useState } from "react";
import type { Move } from "#/api/types-of.ts";
import { ThemeSwitch } from "#/app/Shell.tsx";
import { useWide } from "#/app/useWide.ts";
import { Button } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { visible } from "#/design/text.ts";
import type { RoomProps } from "#/practise/sitting/roomProps.ts";
import { stands, useTime } from "#/practise/station/clock.ts";
import { Bell, StationClock } from "#/practise/station/StationClock.tsx";
import { Feed } from "#/practise/talk/Feed.tsx";
import { Left } from "#/practise/talk/Left.tsx";
import { useConcerns } from "#/practise/talk/useConcerns.tsx";
import { ownLine, plainLines, shown } from "./log.ts";
import { PlainForm } from "./PlainForm.tsx";
import { words } from "./schema.ts";
import { DebriefLink } from "../sitting/DebriefLink.tsx";

export default function PlainRoom({ sitting, leave }: RoomProps) {
  const { state, sending, refused, reload } = sitting;
  const wide = useWide(64);
  const [tab, setTab] = useState("talk");
  const ended = state.status === "ended";
  const time = useTime(state.clock, stands(state), useCallback(() => reload(), [reload]));
  const { settled, window: doubts } = useConcerns(sitting, leave);
  const mine = state.status === "yours" && !sending;
  const notice = refused || visible(state.notice);
  const send = async (move: Move) => {
    const chosen = await settled(move);
    if (chosen && (await sitting.send(chosen))) setTab("talk");
  };
  const who = state.thinking[0];
  const talk = (
    <section className="talk" aria-label="What happens">
      <h2 className="unseen">What happens</h2>
      <div className="talk-scroll">
        <Feed
          items={[...plainLines(state, sitting.readings), ...(sending ? [ownLine("sending", sending)] : [])]}
          thinking={state.status !== "thinking" && !sending ? "" : who ? `The ${words(who).toLowerCase()}` : "Somebody"}
          onRead={sitting.read}
          named
          label="What is said and what happens"
        />
      </div>
      {ended ? (
        <div className="composer ended" role="status">
          <p>
            <b>It is over.</b> {visible(state.ending)}
          </p>
          <DebriefLink state={state} />
        </div>
      ) : (
        <div className="answer">
          {notice && (
            <p className="notice" role="alert">
              <Icon name="warn" size={20} /> {notice}
            </p>
          )}
          {mine && (
            <PlainForm
              key={state.ticket}
              draft={`osler.plain.${state.id}.${state.ticket ?? ""}`}
              schema={state.wanted?.reply ?? {}}
              onMove={(move) => void send(move)}
              busy={time?.phase === "over"}
            />
          )}
        </div>
      )}
    </section>
  );
  const known = (
    <section className="stack" aria-label="What you know">
      <h2>What you know</h2>
      <Known value={state.view} />
    </section>
  );
  const header = (
    <header className="room-bar">
      <div>
        <h1 className="who">{visible(state.title)}</h1>
        <p className="soft small">
          {words(state.protocol)}, you are the {words(state.seat).toLowerCase()}
        </p>
      </div>
      {time && <StationClock time={time} />}
      <span className="row leaving">
        {wide && <ThemeSwitch />}
        <Button look="quiet" onPress={leave}>
          Leave
        </Button>
      </span>
      <div className="under">
        <Left left={state.left} />
      </div>
    </header>
  );
  const bell = time && !ended ? <Bell time={time} /> : <span />;
  if (wide)
    return (
      <main className="plain-room wide">
        {header}
        {bell}
        <div className="columns">
          <div className="side" tabIndex={0}>{known}</div>
          {talk}
        </div>
        {doubts}
      </main>
    );
  return (
    <main className="plain-room">
      {header}
      {bell}
      <Tabs
        label="Encounter"
        className="phone-tabs"
        chosen={tab}
        onChoose={setTab}
        items={[
          { id: "talk", title: "Talk", body: talk },
          { id: "known", title: "What you know", body: <div className="side" tabIndex={0}>{known}</div> },
        ]}
      />
      {doubts}
    </main>
  );
}

/** Any value as names and what they say. */
function Known({ value }: { value: unknown }) {
  if (Array.isArray(value) && value.some((one) => typeof one === "object" && one))
    return (
      <ul className="known-list">
        {value.map((one, k) => (
          <li key={k}>
            <Known value={one} />
          </li>
        ))}
      </ul>
    );
  if (Array.isArray(value))
    return (
      <ul className="known-list dots-list">
        {value.map((one, k) => (
          <li key={k}>{visible(shown(one))}</li>
        ))}
      </ul>
    );
  if (value && typeof value === "object")
    return (
      <dl className="known">
        {Object.entries(value)
          .filter(([, one]) => one !== null && one !== "" && !(Array.isArray(one) && !one.length))
          .map(([name, one]) => (
            <div key={name}>
              <dt>{visible(words(name))}</dt>
              <dd>{typeof one === "string" && one.startsWith("/api/") ? <img src={one} alt={`${words(name)}, without a report`} /> : <Known value={one} />}</dd>
            </div>
          ))}
      </dl>
    );
  return <span>{visible(shown(value))}</span>;
}
