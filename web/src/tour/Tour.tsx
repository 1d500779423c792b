// Ninety seconds through one recorded consultation, ending with "take this chair".
import "./tour.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { get, post } from "#/api/client.ts";
import type { Schemas } from "#/api/types-of.ts";
import { isCalm } from "#/design/calm.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import type { LogItem } from "#/evaluate/types.ts";
import { hasWords } from "#/watch/log/LogRow.tsx";
import { ResultCard } from "#/practise/talk/ResultCard.tsx";
import { Shown } from "#/watch/player/Shown.tsx";
import { useExamples, type Example } from "./examples.ts";
import { scenesOf } from "./scenes.ts";

const SCENE_MS = 10_000;

export default function Tour() {
  const examples = useExamples();
  if (examples.error) return <Fault error={examples.error} again={() => void examples.refetch()} />;
  const first = examples.data?.examples.find((one) => one.protocol === "consultation");
  if (!first?.ready)
    return (
      <>
        <h1>Ninety seconds in Osler</h1>
        {examples.data && !first ? (
          <Empty heading="There is no recorded consultation here" />
        ) : (
          <Loading>The recorded consultation is being made ready</Loading>
        )}
      </>
    );
  return <Scenes example={first} />;
}

/** Whether a visitor has use for an item: what is said and done, and no bookkeeping of turns. */
const isSeen = (item: LogItem) => hasWords(item) && (item.seat !== "" || item.lines.some((line) => line.public));

function Scenes({ example }: { example: Example }) {
  const log = useQuery({
    queryKey: ["tour", example.run, example.n],
    queryFn: () => get<Schemas["Log"]>(`/api/episodes/${example.run}/${example.n}/log?view=doctor`),
    staleTime: Infinity,
  });
  const items = useMemo(() => ((log.data?.items ?? []) as LogItem[]).filter(isSeen), [log.data]);
  const scenes = useMemo(() => scenesOf(items), [items]);
  const [scene, setScene] = useState(0);
  const [playing, setPlaying] = useState(() => !isCalm());
  const [reading, setReading] = useState("");
  const [, go] = useLocation();
  const last = scene >= scenes.length - 1;
  useEffect(() => {
    if (!playing || last || !scenes.length) return;
    const timer = window.setTimeout(() => setScene((now) => now + 1), SCENE_MS);
    return () => window.clearTimeout(timer);
  }, [playing, last, scene, scenes.length]);
  const chair = useMutation({
    mutationFn: () =>
      post<Schemas["SatDown"]>("/api/sittings", { protocol: example.protocol, case: example.case, seat: example.seat }),
    onSuccess: ({ id }) => go(`/practise/${id}`),
  });
  if (log.error) return <Fault error={log.error} again={() => void log.refetch()} />;
  const now = scenes[scene];
  if (!now) return <Loading>Opening the recorded consultation</Loading>;
  const step = (to: number) => {
    setPlaying(false);
    setScene(Math.max(0, Math.min(scenes.length - 1, to)));
  };
  return (
    <div className="stack tour">
      <h1>Ninety seconds in Osler</h1>
      <p className="tour-says" role="status">
        {now.says}
      </p>
      <p className="tour-door">
        <span className="soft small">On the door: </span>
        <b>{visible(example.title)}</b>
      </p>
      {now.picture ? (
        <Tracing
          key={scene}
          item={items[now.at]!}
          reading={now.picture === "reported" ? reading : null}
          onBegin={() => setPlaying(false)}
          onRead={(words) => {
            setReading(words);
            step(scene + 1);
          }}
        />
      ) : (
        <Shown items={items} at={now.at} />
      )}
      <ol className="tour-steps" aria-label={`Scene ${scene + 1} of ${scenes.length}`}>
        {scenes.map((_, k) => (
          <li key={k} className={k <= scene ? "done" : ""} />
        ))}
      </ol>
      <div className="row">
        <Button onPress={() => step(scene - 1)} isDisabled={scene === 0}>
          Back
        </Button>
        {!last && <Button onPress={() => step(scene + 1)}>Next</Button>}
        {!last && (
          <Button look="quiet" onPress={() => setPlaying(!playing)}>
            {playing ? "Pause" : "Go on by itself"}
          </Button>
        )}
        <Button look={last ? "main" : "quiet"} onPress={() => chair.mutate()} isDisabled={chair.isPending}>
          Take this chair
        </Button>
        {last && <LinkButton href={`/watch/${example.run}/${example.n}`}>See all of it</LinkButton>}
      </div>
      {chair.error && <Fault error={chair.error} heading="The chair cannot be taken now" />}
      <p className="soft small">{visible(example.note)}</p>
    </div>
  );
}

/** A picture as a learner meets it. Without a `reading` its report is still closed. */
function Tracing({ item, reading, onBegin, onRead }: { item: LogItem; reading: string | null; onBegin: () => void; onRead: (words: string) => void }) {
  const { name, text } = item.event as { name: string; text: string };
  return (
    <section className="tour-picture" onFocus={onBegin}>
      <h2 className="unseen">The tracing</h2>
      <ResultCard
        result={{ kind: "result", id: item.id, name, text, returned: true, minute: item.minute, picture: item.picture, unread: reading === null, reading: reading ?? "" }}
        onRead={(_, words) => Promise.resolve(onRead(words))}
      />
    </section>
  );
}
