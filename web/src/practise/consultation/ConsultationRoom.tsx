// The consulting room: patient, conversation, findings, differential. Three columns, or three tabs on a phone.
import "./consultation.css";
import { useState } from "react";
import type { Concern, Move } from "#/api/types-of.ts";
import { useWide } from "#/app/useWide.ts";
import { ThemeSwitch } from "#/app/Shell.tsx";
import { Button } from "#/design/Button.tsx";
import { moodOf } from "#/design/Face.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { visible } from "#/design/text.ts";
import { useKept } from "#/practise/sitting/kept.ts";
import type { RoomProps } from "#/practise/sitting/roomProps.ts";
import { Confirm } from "#/practise/talk/Confirm.tsx";
import { Feed } from "#/practise/talk/Feed.tsx";
import type { Words } from "#/practise/talk/items.ts";
import { Left } from "#/practise/talk/Left.tsx";
import { PatientStrip, vitalsIn } from "#/practise/talk/PatientStrip.tsx";
import { Composer } from "./Composer.tsx";
import { ConcludeDialog } from "./ConcludeDialog.tsx";
import { Differential, workingDiagnoses, type Thought } from "./Differential.tsx";
import { Findings } from "./Findings.tsx";
import { doctorView, evidenceIn, ownLine, patientName, pendingIn, resultsIn, talkItems } from "./log.ts";
import { DebriefLink } from "../sitting/DebriefLink.tsx";

export default function ConsultationRoom({ sitting, leave }: RoomProps) {
  const { state, sending, refused } = sitting;
  const view = doctorView(state);
  const wide = useWide(64);
  const [tab, setTab] = useState("talk");
  const [draft, setDraft] = useKept(`osler.draft.${state.id}`, "");
  const [thoughts, setThoughts] = useKept<Thought[]>(`osler.differential.${state.id}`, []);
  const [concluding, setConcluding] = useState(false);
  const [doubt, setDoubt] = useState<{ concern: Concern; settle: (move: Move | null) => void; move: Move } | null>(null);

  const items = talkItems(state, sitting.readings);
  const results = resultsIn(items);
  const pending = pendingIn(state.feed);
  const seen = results.filter((one) => one.returned && !one.unread).map((one) => one.text);
  const vitals = seen.map(vitalsIn).findLast((found) => found.length >= 2) ?? [];
  const now = state.feed.at(-1)?.minute ?? 0;
  const busy = state.status !== "yours" || !!sending;
  const ended = state.status === "ended";

  /** Asks about each concern in turn; the move to send in the end, or `null` for none. */
  const settled = async (move: Move): Promise<Move | null> => {
    for (const concern of await sitting.check(move)) {
      if (concern.kind === "conclude") continue; // asked twice by its own form
      const chosen = await new Promise<Move | null>((settle) => setDoubt({ concern, settle, move }));
      setDoubt(null);
      if (chosen !== move) return chosen;
    }
    return move;
  };
  const act = async (move: Move): Promise<boolean> => {
    const whole = { working_diagnoses: workingDiagnoses(thoughts), ...move };
    const chosen = await settled(whole);
    if (!chosen) return false;
    setTab("talk");
    return sitting.send(chosen);
  };

  const mine = sending && ownLine("sending", sending)[0];
  const who = state.thinking[0];
  const thinking = ended || state.status === "paused" ? "" : who ? `The ${who.replaceAll("_", " ")}` : mine ? "The patient" : state.status === "thinking" ? "Somebody" : "";
  const strip = (
    <header className="patient-bar">
      <PatientStrip
        heading
        name={patientName(view)}
        age={view.age_years}
        sex={view.sex}
        mood={moodOf(seen)}
        seed={view.door_note + view.patient_opening}
        vitals={vitals}
      />
      <span className="row" style={{ flexWrap: "nowrap", gap: 0 }}>
        {wide && <ThemeSwitch />}
        <Button look="quiet" onPress={leave}>
          Leave
        </Button>
      </span>
      <div className="under">
        <Left left={state.left} now={now} />
      </div>
    </header>
  );
  const door = (
    <div className="door-note" hidden={!view.door_note}>
      <p>{visible(view.door_note)}</p>
      <p>
        <b>Your task:</b> {visible(view.task.question)}
      </p>
    </div>
  );
  const talk = (
    <section className="talk" aria-label="Talk">
      <h2 className="unseen">Talk</h2>
      <div className="talk-scroll">
        <Feed
          items={items}
          sending={mine ? asWords(mine) : null}
          thinking={thinking}
          onRead={sitting.read}
          {...(wide ? {} : { top: door })}
        />
      </div>
      {ended ? (
        <div className="composer ended" role="status">
          <p>
            <b>The consultation is over.</b> {visible(state.ending)}
          </p>
          <DebriefLink state={state} />
        </div>
      ) : (
        <Composer
          draft={sending?.question === draft.trim() ? "" : draft}
          onDraft={setDraft}
          onMove={act}
          onConclude={() => setConcluding(true)}
          consultant={view.has_consultant}
          busy={busy}
          refused={refused || visible(state.notice)}
          lastTurn={state.left.last_chance}
        />
      )}
    </section>
  );
  const findings = <Findings results={results} pending={pending} {...(wide ? {} : { onRead: sitting.read })} />;
  const differential = (
    <Differential thoughts={thoughts} onChange={setThoughts} wanted={!!state.wanted?.differential} />
  );
  const dialogs = (
    <>
      <Confirm
        concern={doubt?.concern ?? null}
        onGo={() => doubt?.settle(doubt.move)}
        onInstead={(move) => doubt?.settle(move)}
        onStop={() => doubt?.settle(null)}
        leave={leave}
      />
      <ConcludeDialog
        sitting={state.id}
        open={concluding && !ended}
        onClose={() => setConcluding(false)}
        onConclude={act}
        view={view}
        evidence={evidenceIn(items)}
        thoughts={thoughts}
        busy={busy}
        refused={refused}
      />
    </>
  );
  if (wide)
    return (
      <main className="consultation wide">
        {strip}
        <div className="columns">
          <div className="side">
            {door}
            {differential}
          </div>
          {talk}
          <div className="side">{findings}</div>
        </div>
        {dialogs}
      </main>
    );
  const unread = results.filter((one) => one.unread).length + pending.length;
  return (
    <main className="consultation">
      {strip}
      <Tabs
        label="Consultation"
        className="phone-tabs"
        chosen={tab}
        onChoose={setTab}
        items={[
          { id: "talk", title: "Talk", body: talk },
          {
            id: "findings",
            title: `Findings${results.length + unread ? ` (${results.length})` : ""}`,
            body: <div className="side">{findings}</div>,
          },
          { id: "differential", title: "Differential", body: <div className="side">{differential}</div> },
        ]}
      />
      {dialogs}
    </main>
  );
}

function asWords(line: ReturnType<typeof ownLine>[number]): Words {
  if (line.kind === "words") return line;
  return { kind: "words", id: "sending", who: "You", mine: true, text: "text" in line ? line.text : "" };
}
