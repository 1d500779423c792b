// The debrief: one sentence, three moments, what to try next time, and the whole conversation beside it.
import "./debrief.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useLocation, useParams } from "wouter";
import { get, post, Problem } from "#/api/client.ts";
import { useTopic } from "#/api/stream.ts";
import type { Debriefing, SatDown, SittingState } from "#/api/types-of.ts";
import { useWide } from "#/app/useWide.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { toast } from "#/design/Toasts.tsx";
import { capital, visible } from "#/design/text.ts";
import { casesOf, goneWords } from "#/practise/sitting/gone.ts";
import { linesOf } from "#/practise/sitting/linesOf.ts";
import { Feed } from "#/practise/talk/Feed.tsx";
import { plainItems, type TalkItem } from "#/practise/talk/items.ts";
import { YourWords } from "#/practise/sitting/Permissions.tsx";
import { Sections } from "./Sections.tsx";

export default function DebriefScreen() {
  const { sitting: id = "" } = useParams();
  const address = `/api/sittings/${encodeURIComponent(id)}`;
  const queries = useQueryClient();
  const live = useRef(false);
  const debrief = useQuery({
    queryKey: ["debrief", id],
    queryFn: () => get<Debriefing>(`${address}/debrief`),
    // Marking may take a moment after the last word.
    retry: (count, error) => count < 8 && error instanceof Problem && (error.status >= 500 || error.status === 425),
    retryDelay: 1_500,
    // The stream tells of a teacher's answer and marks; without it, whoever waits for one asks now and then.
    refetchInterval: (query) => !live.current && waits(query.state.data) && 10_000,
  });
  live.current = useTopic(debrief.isSuccess ? `sitting:${id}` : null, () => void debrief.refetch());
  const sitting = useQuery({ queryKey: ["sitting", id], queryFn: () => get<SittingState>(address) });
  const [, go] = useLocation();
  const [here, setHere] = useState<string | null>(null);
  const [tab, setTab] = useState("lessons");
  const wide = useWide(64);

  if (debrief.isPending) return <Waiting>The debrief is being written</Waiting>;
  const gone = goneWords(debrief.error);
  if (debrief.isError && (gone || !debrief.data))
    return (
      <>
        <h1 className="unseen">Debrief</h1>
        <Fault
          error={debrief.error}
          {...(gone ? {} : { again: () => void debrief.refetch() })}
          heading={gone || (debrief.error instanceof Problem && debrief.error.status === 409 ? "It is not over yet" : "There is no debrief here")}
        />
        <p className="row" style={{ justifyContent: "center" }}>
          {!gone && <LinkButton href={`/practise/${id}`}>To the encounter</LinkButton>}
          <LinkButton href="/practise">To the cases</LinkButton>
        </p>
      </>
    );

  const { data } = debrief;
  const again = async (keep: number) => {
    try {
      const { id: fresh } = await post<SatDown>(`${address}/again`, { keep });
      go(`/practise/${fresh}`);
    } catch (error) {
      toast(error instanceof Problem ? [error.what, error.mend].filter(Boolean).join(" ") : String(error));
    }
  };
  const contest = async (item: string, words: string) => {
    await post(`${address}/contests`, { item, words });
    await queries.invalidateQueries({ queryKey: ["debrief", id] });
    toast("Noted beside the mark. In a room, your teacher can answer it.");
  };
  const jump = (at: string) => {
    setTab("conversation");
    setHere(null); // so that the same moment can be shown twice
    window.setTimeout(() => setHere(at), 0);
  };
  const lessons = (
    <div className="stack" style={{ gap: "1.5rem" }}>
      <Moments data={data} jump={jump} again={again} />
      <NextTime data={data} />
      <AgainFromHere data={data} again={again} />
      <Sections data={data} jump={jump} again={again} contest={contest} />
      <p className="row">
        <LinkButton look="main" href={casesOf(sitting.data)}>
          See somebody else
        </LinkButton>
        {sitting.data && <YourWords id={id} uses={sitting.data.disclosure.uses} back={casesOf(sitting.data)} />}
      </p>
    </div>
  );
  const conversation = (
    <Feed
      items={items(data, sitting.data)}
      live={false}
      here={here}
      named={sitting.data?.protocol !== "consultation"}
      label="The conversation"
    />
  );
  return (
    <article className="debrief">
      <div className="stack">
        <h1>Debrief</h1>
        {sitting.data && <p className="soft">{visible(sitting.data.title)}</p>}
        <p className="verdict">{visible(data.sentence)}</p>
        {data.outcome && <p>{visible(data.outcome)}</p>}
        <p className="soft small">
          {[visible(data.examiner), useWords(data.use)].filter(Boolean).join(" ")}
        </p>
      </div>
      {(data.help ?? []).length > 0 && (
        <details className="card help">
          <summary>If this stayed with you: where to find somebody to talk to</summary>
          <ul className="stack">
            {data.help!.map((line) => (
              <li key={line}>{visible(line)}</li>
            ))}
          </ul>
        </details>
      )}
      {wide ? (
        <div className="halves">
          {lessons}
          <section className="transcript" aria-label="The conversation">
            <h2>The conversation</h2>
            {conversation}
          </section>
        </div>
      ) : (
        <Tabs
          label="Debrief"
          chosen={tab}
          onChoose={setTab}
          className="debrief-tabs"
          items={[
            { id: "lessons", title: "What to learn", body: lessons },
            { id: "conversation", title: "The conversation", body: <div className="transcript"><h2 className="unseen">The conversation</h2>{conversation}</div> },
          ]}
        />
      )}
    </article>
  );
}

/** Whether something that was said against a mark has no answer yet. */
function waits(data: Debriefing | undefined): boolean {
  return !!data?.sections.some((part) => part.entries.some((entry) => entry.contested && !entry.contested.answer));
}

function useWords(use: string): string {
  return use === "formative" ? "The marks are formative: to learn by, not to be graded by." : capital(visible(use));
}

function items(data: Debriefing, state: SittingState | undefined): TalkItem[] {
  if (!state) return data.log.flatMap(plainItems);
  return linesOf({ ...state, feed: data.log.length ? data.log : state.feed, unread: [] }, data.readings);
}

function Moments({
  data,
  jump,
  again,
}: {
  data: Debriefing;
  jump: (at: string) => void;
  again: (keep: number) => void;
}) {
  if (!data.moments.length) return null;
  return (
    <section className="stack">
      <h2>{data.moments.length === 1 ? "A moment that mattered" : "Moments that mattered"}</h2>
      <ol className="moments">
        {data.moments.map((moment, k) => (
          <li key={k} className="moment">
            <blockquote>{visible(moment.quote)}</blockquote>
            <p>{capital(visible(moment.effect))}</p>
            {moment.at && (
              <div className="row">
                <Button look="quiet" onPress={() => jump(moment.at!)} aria-label={`Turn ${moment.turn}: show it in the conversation`}>
                  <Icon name="quote" size={18} /> Turn {moment.turn}: show it
                </Button>
                {data.again.some((point) => point.keep === before(moment.at!)) && (
                  <Button
                    look="quiet"
                    onPress={() => again(before(moment.at!))}
                    aria-label={`Again from here: turn ${moment.turn}`}
                  >
                    <Icon name="again" size={18} /> Again from here
                  </Button>
                )}
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** How many exchanges lie before a log item. */
function before(at: string): number {
  return Number(at.split(".")[0]) - 1;
}

function NextTime({ data }: { data: Debriefing }) {
  if (!data.next_time.length) return null;
  return (
    <section className="stack">
      <h2>Next time</h2>
      <ul className="entries">
        {data.next_time.map((line) => (
          <li key={line}>{visible(line)}</li>
        ))}
      </ul>
    </section>
  );
}

function AgainFromHere({ data, again }: { data: Debriefing; again: (keep: number) => void }) {
  if (!data.again.length) return null;
  return (
    <details className="fold">
      <summary>
        <h2>Again from here</h2>
      </summary>
      <p className="soft">Go back to a moment and try something else. What came before stays as it was.</p>
      <ul className="entries">
        {data.again.map((point) => (
          <li key={point.keep} className="row spread">
            <span>{visible(point.label)}</span>
            <Button onPress={() => again(point.keep)} aria-label={`Again from here: ${visible(point.label)}`}>
              <Icon name="again" size={18} /> Again from here
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Waiting({ children }: { children: string }) {
  return (
    <>
      <h1 className="unseen">Debrief</h1>
      <Loading>{children}</Loading>
    </>
  );
}
