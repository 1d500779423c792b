// Making a room: a name, a case, and open it. Everything else has a default that may stay.
import "../teach.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { get, post, Problem } from "#/api/client.ts";
import type { Shelf, ShelfCase } from "#/api/types-of.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Choose, OneOf, TextBox, Tick } from "#/design/Fields.tsx";
import { Dots, Fault, Loading } from "#/design/States.tsx";
import { modelsIn } from "#/design/players.ts";
import { capital, listed, visible } from "#/design/text.ts";
import { protocolWords } from "#/practise/shelf/filters.ts";
import { seatWords } from "#/practise/sitting/DisclosurePage.tsx";
import { USE_WORDS, type Use } from "#/practise/sitting/uses.ts";
import { inWords, type Room, type Sees } from "../api.ts";
import { At, GroupFields } from "../group/GroupFields.tsx";
import { canShare, fieldOf, FRESH, planOf, tutorOf, wrongIn, type Wrong } from "../group/plan.ts";
import { kindOf, SEES } from "../words.ts";
import { Amount } from "./Amount.tsx";
import { CasePicker } from "./CasePicker.tsx";
import { Fold } from "./Fold.tsx";
import { StationClock } from "./StationClock.tsx";
import { ModelTrial } from "./ModelTrial.tsx";

const ASKED: Partial<Record<Use, string>> = {
  teacher: "your reading and marking",
  research: "research",
  training: "training of models",
  share: "showing to others",
};
const HOURS = [
  ["2", "2 hours"],
  ["24", "1 day"],
  ["168", "1 week"],
  ["672", "4 weeks"],
] as const;

export default function NewRoomScreen() {
  const shelf = useQuery({ queryKey: ["shelf"], queryFn: () => get<Shelf>("/api/shelf") });
  const models = useQuery({ queryKey: ["models", "teach"], queryFn: () => get<string[]>("/api/rooms/models") });
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const [cases, setCases] = useState<string[]>([]);
  const [seats, setSeats] = useState<Record<string, string>>({});
  const [patient, setPatient] = useState("baseline");
  const [marks, setMarks] = useState<string[]>(["rules"]);
  const [sees, setSees] = useState<Sees>("live");
  const [asks, setAsks] = useState<Use[]>(["teacher"]);
  const [until, setUntil] = useState(() => inDays(30));
  const [hours, setHours] = useState("24");
  const [clock, setClock] = useState({ on: false, reading: "60", minutes: "8", bell: "120" });
  const [heldBack, holdBack] = useState(false);
  const [ceiling, setCeiling] = useState({ kind: "none", amount: "" });
  const [consent, setConsent] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [form, setGroup] = useState(FRESH);
  const chosen = shelf.data?.cases.filter((one) => cases.includes(one.id)) ?? [];
  const group = { ...form, on: form.on && canShare(chosen) };
  const named = [patient, ...marks, ...Object.values(tutorOf(group)), ...(group.on ? (planOf(group).tutors ?? []) : [])];
  const withModels = named.some((name) => modelsIn(name).length > 0);

  const open = async () => {
    const say = (text: string) => setWrong({ field: "", text });
    const clocked = clock.on && !group.on;
    if (!chosen.length) return say("Choose at least one case.");
    const amiss = wrongIn(group, chosen.length);
    if (amiss) return setWrong(amiss);
    if (clocked && ![clock.reading, clock.minutes, clock.bell].every((one) => /^\d+$/.test(one)))
      return say("The station clock needs whole numbers.");
    const amount = Number(ceiling.amount);
    if (withModels && ceiling.kind !== "none" && !(amount > 0)) return say("Say how high the ceiling is.");
    setBusy(true);
    setWrong(null);
    try {
      const room = await post<Room>("/api/rooms", {
        name: name.trim() || `Room of ${new Date().toLocaleDateString("en-GB", { weekday: "long" })}`,
        cases: chosen.map((one) => ({
          protocol: one.protocol,
          case: one.id,
          seat: group.on ? "" : (seats[one.protocol] ?? ""),
        })),
        players: { ...(patient === "baseline" ? {} : { patient }), ...tutorOf(group) },
        group: group.on ? planOf(group) : null,
        marks,
        sees,
        held_back: heldBack,
        asks: ["practice", ...asks],
        share_until: asks.includes("share") && until ? Date.parse(`${until}T23:59:59`) / 1000 : null,
        clock: clocked
          ? { reading_s: Number(clock.reading), minutes: Number(clock.minutes), bell_s: Number(clock.bell) }
          : null,
        ceiling: withModels && ceiling.kind !== "none" ? { [ceiling.kind]: amount } : {},
        consent,
        hours: Number(hours),
      });
      go(`/teach/rooms/${room.id}`);
    } catch (error) {
      setBusy(false);
      setWrong({ field: group.on && error instanceof Problem ? fieldOf(error.where) : "", text: inWords(error) });
    }
  };

  if (shelf.isPending) return <Loading>The cases are being fetched</Loading>;
  if (shelf.isError) return <Fault error={shelf.error} again={() => void shelf.refetch()} />;
  const toggle = (mark: string, on: boolean) =>
    setMarks(on ? [...marks, mark] : marks.filter((each) => each !== mark));
  return (
    <div className="teach narrow">
      <div>
        <h1>Make a room</h1>
        <p className="soft">Choose a case and open the room. All else may stay as it is.</p>
      </div>
      <form
        className="teach"
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        <TextBox label="Name of the room" value={name} onChange={setName} max={80} placeholder="Monday, group 3" />
        <CasePicker cases={shelf.data.cases} chosen={cases} choose={setCases} />
        <At field="cases" wrong={wrong} />
        {canShare(chosen) && <GroupFields form={group} change={setGroup} models={models.data ?? []} wrong={wrong} />}
        {!group.on && <Seats chosen={chosen} seats={seats} choose={setSeats} />}
        <Fold heading="Who plays and who marks" now={played(patient, marks)}>
          <Choose
            label="The patient"
            value={patient}
            onChange={setPatient}
            options={[
              { id: "baseline", text: "Built in: follows rules, costs nothing" },
              ...(models.data ?? []).map((id) => ({ id, text: `Language model ${listed(modelsIn(id))}` })),
            ]}
          />
          {patient !== "baseline" && (
            <ModelTrial key={patient} model={patient} seat="patient" protocol={chosen[0]?.protocol ?? "consultation"} />
          )}
          {models.data?.length === 0 && (
            <p className="soft small">For a language model as the patient, ask whoever runs this server to name one in osler.toml.</p>
          )}
          <fieldset>
            <legend>Marks</legend>
            <Tick checked={marks.includes("rules")} onChange={(on) => toggle("rules", on)}>
              By rules, at once. It reads words and not meaning.
            </Tick>
            <Tick checked={marks.includes("person")} onChange={(on) => toggle("person", on)}>
              By you, with a marking sheet beside the transcript
            </Tick>
            {(models.data ?? [])
              .filter((id) => id !== patient)
              .map((id) => (
                <Tick key={id} checked={marks.includes(id)} onChange={(on) => toggle(id, on)}>
                  By the language model {id.slice(6)}
                </Tick>
              ))}
          </fieldset>
          {withModels && (
            <div className="pairs">
              <Choose
                label="A ceiling for all sittings together"
                value={ceiling.kind}
                onChange={(kind) => setCeiling({ ...ceiling, kind })}
                options={[
                  { id: "none", text: "No ceiling" },
                  { id: "money", text: "In the currency of the prices" },
                  { id: "tokens", text: "In tokens" },
                ]}
              />
              {ceiling.kind !== "none" && (
                <Amount label="At most" value={ceiling.amount} onChange={(amount) => setCeiling({ ...ceiling, amount })} />
              )}
            </div>
          )}
        </Fold>

        {group.on ? (
          <Tick checked={heldBack} onChange={holdBack}>
            Hold back the debriefs until I release them on the board
          </Tick>
        ) : (
          <StationClock clock={clock} change={setClock} heldBack={heldBack} holdBack={holdBack} />
        )}

        <Fold
          heading="What you see, what learners are asked, and when it closes"
          now={`${SEES[sees].toLowerCase()}; asked for ${asks.length ? asks.map((use) => ASKED[use]).join(", ") : "nothing more"}; closes after ${HOURS.find(([id]) => id === hours)![1]}`}
        >
          <OneOf
            label="You see, of those who permit it"
            options={(Object.keys(SEES) as Sees[]).map((id) => ({ id, text: SEES[id] }))}
            value={sees}
            onChange={setSees}
          />
          <fieldset>
            <legend>Uses that learners are asked to permit</legend>
            <p className="soft small">
              Their own practice is always permitted, and alone preselected. What a learner does not permit, you do not
              see.
            </p>
            {(Object.keys(ASKED) as Use[]).map((use) => (
              <Tick
                key={use}
                checked={asks.includes(use)}
                onChange={(on) => setAsks(on ? [...asks, use] : asks.filter((each) => each !== use))}
              >
                {USE_WORDS[use].asks}
              </Tick>
            ))}
          </fieldset>
          {asks.includes("share") && (
            <label className="field">
              <span className="label">They may be shown to others until</span>
              <input
                className="input"
                type="date"
                value={until}
                min={inDays(0)}
                onChange={(event) => setUntil(event.target.value)}
              />
            </label>
          )}
          <TextBox
            label="Your own consent text"
            hint="Left empty, ours is shown."
            value={consent}
            onChange={setConsent}
            lines={4}
            max={4000}
          />
          <Choose
            label="The room closes by itself after"
            value={hours}
            onChange={setHours}
            options={HOURS.map(([id, text]) => ({ id, text }))}
          />
        </Fold>
        <OpenRow busy={busy} wrong={wrong && !wrong.field ? wrong.text : ""} count={chosen.length} />
      </form>
    </div>
  );
}

interface SeatsProps {
  chosen: ShelfCase[];
  seats: Record<string, string>;
  choose: (seats: Record<string, string>) => void;
}

/** The learners' seat, for each kind of case of which people can take several. */
function Seats({ chosen, seats, choose }: SeatsProps) {
  const kinds = new Map(chosen.filter((one) => one.seats.length > 1).map((one) => [one.protocol, one.seats]));
  return [...kinds].map(([protocol, free]) => (
    <OneOf
      key={protocol}
      label={`${protocolWords(protocol)}: learners sit as`}
      hint="Each learner has an encounter of their own; all other seats are played here."
      options={free.map((seat) => ({ id: seat, text: capital(seatWords(kindOf(seat))) }))}
      value={seats[protocol] ?? free[0] ?? ""}
      onChange={(seat) => choose({ ...seats, [protocol]: seat })}
    />
  ));
}

/** Who plays and who marks, in a line: "built in; marked by rules". */
function played(patient: string, marks: string[]): string {
  const names = marks.map((mark) => (mark === "person" ? "by you" : mark === "rules" ? "by rules" : `by ${mark.slice(6)}`));
  return `${patient === "baseline" ? "built in" : patient.slice(6)}; marked ${names.join(", ") || "by nobody"}`;
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

interface OpenRowProps {
  busy: boolean;
  wrong: string;
  count: number;
}

/** The button that opens the room, always in sight. */
function OpenRow({ busy, wrong, count }: OpenRowProps) {
  return (
    <div className="stays">
      {wrong && (
        <p className="notice" role="alert">
          {visible(wrong)}
        </p>
      )}
      <div className="row">
        <Button look="main" type="submit" isDisabled={busy}>
          {busy ? (
            <>
              <Dots /> One moment
            </>
          ) : (
            "Open the room"
          )}
        </Button>
        <LinkButton href="/teach" look="quiet">
          Not now
        </LinkButton>
        <span className="soft small">{count === 1 ? "1 case chosen" : `${count} cases chosen`}</span>
      </div>
    </div>
  );
}
