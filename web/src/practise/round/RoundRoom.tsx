// A teaching ward round, as a student or as the tutor: the bedside, the group's talk, and what is asked for now.
import "../station/room-bar.css";
import "./round.css";
import { useCallback, useState, type ReactNode } from "react";
import type { Move } from "#/api/types-of.ts";
import { ThemeSwitch } from "#/app/Shell.tsx";
import { useWide } from "#/app/useWide.ts";
import { Button } from "#/design/Button.tsx";
import { moodOf } from "#/design/Face.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Loading } from "#/design/States.tsx";
import { Tabs, type TabItem } from "#/design/Tabs.tsx";
import { listed, visible } from "#/design/text.ts";
import { PlainForm } from "#/practise/plain/PlainForm.tsx";
import { Gathering } from "#/practise/group/Gathering.tsx";
import { RoundOver } from "#/practise/group/RoundOver.tsx";
import { seatedIn, waitsFor } from "#/practise/group/people.ts";
import { useGroup } from "#/practise/group/useGroup.ts";
import { WhoSits } from "#/practise/group/WhoSits.tsx";
import type { RoomProps } from "#/practise/sitting/roomProps.ts";
import { stands, useTime } from "#/practise/station/clock.ts";
import { Bell, StationClock } from "#/practise/station/StationClock.tsx";
import { Feed } from "#/practise/talk/Feed.tsx";
import { statedLook } from "#/practise/talk/look.ts";
import { PatientStrip } from "#/practise/talk/PatientStrip.tsx";
import { useConcerns } from "#/practise/talk/useConcerns.tsx";
import { Chart, Plan } from "./Bedside.tsx";
import { ExamForm } from "./ExamForm.tsx";
import { ActForm, AnalyseForm, GuideForm } from "./forms.tsx";
import { allHearExpert, chartIn, countedIn, coveredIn, issuesIn, lastDraft, ownLines, questionsIn, roundItems, type RoundView } from "./log.ts";
import { DebriefLink } from "../sitting/DebriefLink.tsx";

export default function RoundRoom({ sitting, leave }: RoomProps) {
  const { state, sending, refused, reload } = sitting;
  const wide = useWide(64);
  const [tab, setTab] = useState("talk");
  const ended = state.status === "ended";
  const time = useTime(state.clock, stands(state), useCallback(() => reload(), [reload]));
  const { settled, window: doubts } = useConcerns(sitting, leave);
  const view = state.view as unknown as RoundView;
  const group = useGroup(state);
  if (!view.door_note && group) return <Gathering state={state} group={group} leave={leave} />;
  if (!view.door_note) return <Loading>The group is gathering</Loading>;

  const { feed } = state;
  const tutor = state.seat === "tutor";
  const act = state.wanted?.act ?? "";
  const mine = state.status === "yours" && !sending;
  const exam = mine && act === "exam";
  const entries = chartIn(view, state, sitting.readings);
  const covered = coveredIn(feed);
  const send = async (move: Move) => {
    const chosen = await settled(move);
    if (!chosen) return;
    setTab("talk"); // at once: whoever turns to another tab meanwhile stays there
    await sitting.send(chosen);
  };
  // The question without the number of refusals: what was written stays when it has to be put right.
  const question = (state.ticket ?? "").split(".")[0];
  const own = {
    draft: `osler.words.${state.id}.${question}`,
    onMove: (move: Move) => void send(move),
    busy: !mine || time?.phase === "over",
  };
  const form = (): ReactNode => {
    switch (act) {
      case "analyse":
        return <AnalyseForm key={question} {...own} answering={feed.some(({ event }) => event?.kind === "line" && event.part === "guidance")} />;
      case "act":
        return <ActForm key={question} {...own} view={view} />;
      case "guide":
      case "revise":
        return <GuideForm key={question} {...own} view={view} covered={covered} counted={countedIn(feed)} issues={issuesIn(feed)} before={lastDraft(feed)} />;
    }
    return <PlainForm key={question} {...own} schema={state.wanted?.reply ?? {}} />;
  };

  const seated = group && seatedIn(state, (seat) => nameIn(view, state.seat, seat), group);
  const others = state.status === "thinking" || sending;
  const notice = refused || visible(state.notice);
  const talk = (
    <section className={`talk ${exam ? "examined" : ""}`} aria-label="The group">
      <h2 className="unseen">The group</h2>
      {exam ? (
        <div className="exam-scroll">
          <ExamForm key={question} {...own} {...questionsIn(feed)} />
        </div>
      ) : (
        <div className="talk-scroll">
          <Feed
            items={[...roundItems(state, sitting.readings), ...(sending ? ownLines("sending", sending, "waits", allHearExpert(state.view)) : [])]}
            thinking={others ? thinkingNow(state.thinking, view, state.seat) : ""}
            waiting={others && seated ? waitsFor(state.thinking, seated) : ""}
            onRead={sitting.read}
            named
            label="The group's talk"
            top={
              <p className="question">
                <b>The question:</b> {visible(view.question)}
              </p>
            }
          />
        </div>
      )}
      {ended ? (
        <div className="composer ended" role="status">
          <p>
            <b>The round is over.</b> {visible(state.ending)}
          </p>
          {group ? <RoundOver state={state} group={group} /> : <DebriefLink state={state} />}
        </div>
      ) : (
        <div className="answer">
          {notice && (
            <p className="notice" role="alert">
              <Icon name="warn" size={20} /> {notice}
            </p>
          )}
          {mine && !exam && form()}
        </div>
      )}
    </section>
  );
  const header = (
    <header className="room-bar">
      <Patient view={view} seen={entries.map((one) => one.result)} />
      {time && <StationClock time={time} />}
      <span className="row leaving">
        {wide && <ThemeSwitch />}
        <Button look="quiet" onPress={leave}>
          Leave
        </Button>
      </span>
      <p className="under soft small">{whoYouAre(view, tutor)}</p>
    </header>
  );
  const chart = <Chart entries={entries} {...(wide ? {} : { onRead: sitting.read })} />;
  const plan = tutor ? <Plan view={view} covered={covered} counted={countedIn(feed)} /> : null;
  const people = seated && (
    <section className="stack" aria-label="The group's seats">
      <h2>Who sits where</h2>
      <WhoSits seated={seated} waiting={others ? state.thinking : []} />
    </section>
  );
  const bell = time && !ended ? <Bell time={time} /> : <span />;
  if (wide)
    return (
      <main className="ward wide">
        {header}
        {bell}
        <div className={`columns ${plan ? "three" : ""}`}>
          <div className="side" tabIndex={0}>
            {people}
            {chart}
          </div>
          {talk}
          {plan && <div className="side" tabIndex={0}>{plan}</div>}
        </div>
        {doubts}
      </main>
    );
  const tabs: TabItem[] = [
    { id: "talk", title: exam ? "Questions" : "Talk", body: talk },
    { id: "chart", title: `Chart${entries.length ? ` (${entries.length})` : ""}`, body: <div className="side" tabIndex={0}>{chart}</div> },
  ];
  if (plan) tabs.push({ id: "plan", title: "Plan", body: <div className="side" tabIndex={0}>{plan}</div> });
  if (people) tabs.push({ id: "people", title: "Group", body: <div className="side" tabIndex={0}>{people}</div> });
  return (
    <main className="ward">
      {header}
      {bell}
      <Tabs label="Ward round" className="phone-tabs" chosen={tab} onChoose={setTab} items={tabs} />
      {doubts}
    </main>
  );
}

function Patient({ view, seen }: { view: RoundView; seen: { name: string; text: string }[] }) {
  const looks = seen.filter((one) => /general examination|appearance/i.test(one.name)).map((one) => one.text);
  const [first = "", ...rest] = view.door_note.split(/(?<=\.)\s+/);
  const named = rest.length > 0;
  return (
    <PatientStrip
      heading
      name={named ? first.replace(/\.$/, "") : "The patient"}
      about={named ? rest.join(" ") : view.door_note}
      {...statedLook(view.door_note)}
      mood={moodOf(looks)}
      seed={view.door_note}
    />
  );
}

function whoYouAre(view: RoundView, tutor: boolean): string {
  if (tutor) return `You are the tutor of ${listed((view.students ?? []).map(visible))}.`;
  const peers = (view.peers ?? []).map(visible);
  return `You are ${visible(view.you?.name ?? "a student")}, with ${listed([...peers, "the tutor"])}.`;
}

/** Who is asked now, in words. */
function thinkingNow(seats: string[], view: RoundView, own: string): string {
  const [seat] = seats;
  if (!seat || seats.filter((one) => one.startsWith("student")).length > 1) return "The group";
  const name = nameIn(view, own, seat);
  return name ? visible(name) : `The ${seat.replaceAll("_", " ")}`;
}

/** The name that a student goes by in the round: the tutor knows all, a student the peers in their order. */
function nameIn(view: RoundView, own: string, seat: string): string {
  const place = (one: string) => Number(/^student_(\d+)$/.exec(one)?.[1] ?? 0) - 1;
  if (place(seat) < 0) return "";
  if (view.students) return view.students[place(seat)] ?? "";
  return (view.peers ?? []).toSpliced(place(own), 0, view.you?.name ?? "")[place(seat)] ?? "";
}
