// What a learner reads before the first word, the name to go by, and what is permitted; then the cases.
import "../teach.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { get, post } from "#/api/client.ts";
import { ME } from "#/app/me.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Card } from "#/design/Card.tsx";
import { TextBox, Tick } from "#/design/Fields.tsx";
import { Dots, Fault, Loading, WarnBar } from "#/design/States.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { protocolWords } from "#/practise/shelf/filters.ts";
import { USE_WORDS, type Use } from "#/practise/sitting/uses.ts";
import { address, inWords, type JoinPage, type OwnSitting } from "../api.ts";
import { SeatsPage } from "../group/SeatsPage.tsx";
import { sharing } from "#/practise/group/words.ts";
import { LeaveRoom } from "./LeaveRoom.tsx";
import { markedBy, moment, seatTaken } from "../words.ts";

export default function JoinScreen() {
  const { code = "" } = useParams();
  const path = `/api/join/${encodeURIComponent(code)}`;
  const page = useQuery({ queryKey: ["join", code], queryFn: () => get<JoinPage>(path), staleTime: 0 });
  const [changing, change] = useState(false);
  if (page.isPending) return <Loading />;
  if (page.isError)
    return (
      <div className="teach narrow">
        <h1 className="unseen">There is no room here</h1>
        <Fault error={page.error} again={() => void page.refetch()} heading="You cannot come in" />
        <p className="row" style={{ justifyContent: "center" }}>
          <LinkButton href="/join">Type a code</LinkButton>
        </p>
      </div>
    );
  const room = page.data;
  return (
    <div className="teach narrow">
      <div>
        <h1>{visible(room.name)}</h1>
        <p className="soft">Simulated patients. For education and research only.</p>
      </div>
      {!room.open && <WarnBar>This room is closed. What you said is kept.</WarnBar>}
      {room.joined && !changing ? (
        <>
          <Here room={room} code={code} change={() => change(true)} />
          {room.together ? <SeatsPage room={room} /> : <Cases room={room} />}
        </>
      ) : (
        <ComeIn room={room} path={path} code={code} done={() => change(false)} />
      )}
    </div>
  );
}

function ComeIn({ room, path, code, done }: { room: JoinPage; path: string; code: string; done: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(room.joined?.pseudonym ?? "");
  const [uses, setUses] = useState<Use[]>((room.joined?.uses ?? []).filter((use) => use !== "practice"));
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const asked = room.asks.filter((use) => use !== "practice");
  const join = async () => {
    if (!name.trim()) return setWrong("Choose a name to go by.");
    setBusy(true);
    try {
      queries.setQueryData(["join", code], await post<JoinPage>(path, { pseudonym: name, uses: ["practice", ...uses] }));
      void queries.invalidateQueries({ queryKey: ME });
      done();
    } catch (error) {
      setWrong(inWords(error));
    }
    setBusy(false);
  };
  return (
    <>
      <Disclosed room={room} />
      <form
        className="join-form"
        onSubmit={(event) => {
          event.preventDefault();
          void join();
        }}
      >
        <TextBox
          label="A name to go by"
          hint="Any name but your own. Your teacher sees it."
          value={name}
          onChange={(now) => {
            setName(now);
            setWrong("");
          }}
          max={60}
          required
        />
        <fieldset>
          <legend>What may be done with what you write?</legend>
          <p className="soft small">It serves your own practice. Anything more is up to you; you can change it later.</p>
          <Tick checked onChange={() => undefined}>
            {USE_WORDS.practice.asks}
          </Tick>
          {asked.map((use) => (
            <Tick
              key={use}
              checked={uses.includes(use)}
              onChange={(on) => setUses(on ? [...uses, use] : uses.filter((each) => each !== use))}
            >
              {USE_WORDS[use].asks}
              {use === "share" && room.share_until !== null && ` until ${moment(room.share_until)}`}
            </Tick>
          ))}
        </fieldset>
        {wrong && (
          <p className="notice" role="alert">
            {visible(wrong)}
          </p>
        )}
        <div className="row">
          <Button look="main" type="submit" isDisabled={busy || !room.open}>
            {busy ? <Dots /> : "I agree, let me in"}
          </Button>
        </div>
      </form>
    </>
  );
}

function Disclosed({ room }: { room: JoinPage }) {
  const { plays, marks, hosts, consent } = room.disclosure;
  return (
    <>
      <Card>
        <h2>Before you begin</h2>
        <dl className="told">
          <div>
            <dt>Your seat</dt>
            {room.together ? (
              sharing(room.together).map((sentence) => <dd key={sentence}>{sentence}</dd>)
            ) : (
              <dd>
                {capital(seatsOf(room))}. You have an encounter of your own, whoever else is in the room.
              </dd>
            )}
          </div>
          {Object.entries(plays).map(([seat, who]) => (
            <div key={seat}>
              <dt>{capital(seat.replaceAll("_", " "))}</dt>
              <dd>{visible(who)}</dd>
            </div>
          ))}
          <div>
            <dt>Who marks</dt>
            <dd>{visible(marks)}</dd>
          </div>
          <div>
            <dt>Where your words go</dt>
            <dd>
              {hosts.length
                ? `They are sent to ${hosts.map(visible).join(", ")}, and kept by this server.`
                : "They stay on this server. No other computer receives them."}
            </dd>
          </div>
          <div>
            <dt>What is kept, and who sees it</dt>
            <dd>
              <ul className="plain-list">
                {room.kept.map((sentence) => (
                  <li key={sentence}>{visible(sentence)}</li>
                ))}
              </ul>
            </dd>
          </div>
        </dl>
      </Card>
      <p className="card" style={{ whiteSpace: "pre-line" }}>
        {visible(consent)}
      </p>
    </>
  );
}

/** The learner's seat in words: "a student"; with several kinds of cases "the doctor (consultation), a student
 * (ward round)". */
function seatsOf(room: JoinPage): string {
  const kinds = new Map(room.cases.map((one) => [one.protocol, seatTaken(one.seat)]));
  if (kinds.size === 1) return [...kinds.values()].join();
  return [...kinds].map(([protocol, seat]) => `${seat} (${protocolWords(protocol).toLowerCase()})`).join(", ");
}

/** As whom a learner is here, and what is permitted. */
function Here({ room, code, change }: { room: JoinPage; code: string; change: () => void }) {
  const mine = room.joined!;
  return (
    <p>
      You are here as <b>{visible(mine.pseudonym)}</b>. You permit:{" "}
      {mine.uses.map((use) => USE_WORDS[use as Use].short).join("; ")}.{" "}
      <Button look="quiet" onPress={change}>
        Change that
      </Button>{" "}
      <LeaveRoom room={room} code={code} />
    </p>
  );
}

function Cases({ room }: { room: JoinPage }) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState("");
  const [wrong, setWrong] = useState("");
  const mine = room.joined!;
  const begin = async (id: string) => {
    setBusy(id);
    setWrong("");
    try {
      const { sitting } = await post<{ sitting: string }>(address(room.room, "/sittings"), { case: id });
      go(`/practise/${sitting}`);
    } catch (error) {
      setBusy("");
      setWrong(inWords(error));
    }
  };
  return (
    <>
      {room.clock && (
        <WarnBar>
          A clock runs: {room.clock.reading_s} seconds to read, then {plural(room.clock.minutes, "minute")}. It starts when
          you sit down. A station is taken once.
        </WarnBar>
      )}
      {wrong && (
        <p className="notice" role="alert">
          {visible(wrong)}
        </p>
      )}
      <ul className="tiles">
        {room.cases.map((one) => (
          <li key={one.id} className="card">
            <div className="row spread">
              <h2>{visible(one.title)}</h2>
              <Standing own={mine.sittings[one.id]} usedUp={mine.used_up.includes(one.id)} />
            </div>
            <p className="soft">{visible(one.complaint)}</p>
            <div className="row">
              <Badge>{protocolWords(one.protocol)}</Badge>
              {!room.clock && <Badge>about {one.minutes} min</Badge>}
              {one.distressing && <Badge look="warn">May be distressing</Badge>}
            </div>
            <div className="row">
              <Doors
                own={mine.sittings[one.id]}
                usedUp={mine.used_up.includes(one.id)}
                open={room.open}
                clocked={room.clock !== null}
                heldBack={room.held_back}
                busy={busy === one.id}
                isDisabled={busy !== ""}
                begin={() => void begin(one.id)}
              />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** How far a learner is with one case. */
function Standing({ own, usedUp }: { own: OwnSitting | undefined; usedUp: boolean }) {
  if (!own) return <Badge look="quiet">{usedUp ? "deleted" : "not begun"}</Badge>;
  if (own.status === "going_on") return <Badge look="good">going on</Badge>;
  if (own.status === "stopped") return <Badge look="warn">stopped by your teacher</Badge>;
  if (own.status === "ended") return <Badge look="own">ended, not marked yet</Badge>;
  return <Badge look="own">ended, marked {own.marked_by.map((by) => visible(markedBy(by))).join(", ")}</Badge>;
}

interface DoorsProps {
  own: OwnSitting | undefined;
  usedUp: boolean;
  open: boolean;
  clocked: boolean;
  heldBack: boolean;
  busy: boolean;
  isDisabled: boolean;
  begin: () => void;
}

/** The ways into a case: sit down, go on, or look back at the debrief and begin anew. */
function Doors({ own, usedUp, open, clocked, heldBack, busy, isDisabled, begin }: DoorsProps) {
  const over = own?.status === "ended" || own?.status === "marked";
  if (own && !over)
    return (
      <LinkButton look="main" href={`/practise/${own.id}`}>
        Go on
      </LinkButton>
    );
  const anew = !own || clocked || !heldBack;
  return (
    <>
      {own && heldBack && <p className="soft">Your teacher releases the debriefs once everybody is done.</p>}
      {own && !heldBack && (
        <LinkButton look="main" href={`/practise/${own.id}/debrief`}>
          See the debrief
        </LinkButton>
      )}
      {usedUp && <span className="soft small">Taken. Your teacher can let you begin again.</span>}
      {!usedUp && anew && (
        <Button look={own ? "plain" : "main"} onPress={begin} isDisabled={!open || isDisabled}>
          {busy ? <Dots /> : own ? "Begin anew" : "Sit down"}
        </Button>
      )}
    </>
  );
}
