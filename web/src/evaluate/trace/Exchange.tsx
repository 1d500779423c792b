// One exchange as its seat saw it: what it knew, what it had been told, what it was asked, and what it answered.
import { useEffect, useRef } from "react";
import { Badge } from "#/design/Badge.tsx";
import { Button } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { capital, clock, visible } from "#/design/text.ts";
import { LogRow, hasWords } from "#/watch/log/LogRow.tsx";
import { useExchange } from "../queries.ts";
import type { EpisodeDetail, ExchangeDetail, ExchangeLine, LogItem } from "../types.ts";
import { plain } from "../words.ts";
import { Attempts } from "./Attempts.tsx";
import { Prompt, Reasoning, Used } from "./Calls.tsx";
import { Value } from "./Value.tsx";

export interface ExchangeProps {
  episode: EpisodeDetail;
  items: LogItem[];
  chosen: ExchangeLine | null;
  quote: { at: string; words: string };
  tab: string;
  onTab: (tab: string) => void;
  onChoose: (n: number) => void;
  step: { before: (() => void) | null; next: (() => void) | null };
}

export function Exchange({ episode, items, chosen, quote, tab, onTab, onChoose, step }: ExchangeProps) {
  const { data, error, refetch } = useExchange(episode.run, episode.line.ordinal, chosen?.n ?? null);
  if (!chosen) return <Empty heading="No exchange is recorded yet" />;
  const wait = error ? <Fault error={error} again={() => void refetch()} /> : <Loading>Making the request anew</Loading>;
  const shown = (body: (detail: ExchangeDetail) => React.ReactNode) => (data && !error ? <div className="tab-body">{body(data)}</div> : wait);
  return (
    <section className="trace-exchange" aria-label="The chosen exchange">
      <div className="row spread exchange-head">
        <h2>
          Exchange {chosen.n}: {visible(plain(chosen.seat))}
          {chosen.act && `, ${visible(plain(chosen.act))}`}
          <span className="soft small"> at {clock(chosen.minute)}</span>
        </h2>
        <div className="row">
          <Button look="quiet" onPress={() => step.before?.()} isDisabled={!step.before} aria-label="The exchange before">
            <Icon name="back" />
          </Button>
          <Button look="quiet" onPress={() => step.next?.()} isDisabled={!step.next} aria-label="The next exchange">
            <Icon name="next" />
          </Button>
        </div>
      </div>
      {data && data.n === chosen.n && <ProofMark detail={data} onChoose={onChoose} />}
      <Tabs
        label="Parts of this exchange"
        chosen={tab}
        onChoose={onTab}
        items={[
          { id: "log", title: "Transcript", body: <Transcript items={items} n={chosen.n} quote={quote} onChoose={onChoose} /> },
          { id: "view", title: "View", body: shown((one) => <View detail={one} />) },
          { id: "feed", title: "Feed", body: shown((one) => <Feed detail={one} />) },
          { id: "prompt", title: "Prompt", body: shown((one) => <Prompt detail={one} />) },
          { id: "reply", title: "Reply", body: shown((one) => <Reply detail={one} />) },
          { id: "reasoning", title: "Reasoning", body: shown((one) => <Reasoning calls={one.calls} />) },
          { id: "attempts", title: count("Attempts", data ? data.refused.length + data.inner.length : 0), body: shown((one) => <Attempts detail={one} />) },
        ]}
      />
    </section>
  );
}

const count = (name: string, many: number) => (many ? `${name} (${many})` : name);

/** Whether the request shown is the one that was put, by its stored hash. */
function ProofMark({ detail: { proof, player, previous, following, seat }, onChoose }: { detail: ExchangeDetail; onChoose: (n: number) => void }) {
  return (
    <div className="row proof">
      <Badge look={proof.proved ? "good" : "warn"}>
        <Icon name={proof.proved ? "tick" : "warn"} size={15} /> {proof.proved ? "Proved" : "Not proved"}
      </Badge>
      <span className="small">
        {proof.proved ? "This is the request as it was put: its hash is the stored one" : visible(proof.why)}
        {proof.hash && <span className="soft"> · {proof.hash.slice(0, 12)}</span>}
      </span>
      <span className="small soft">Player: {visible(player)}</span>
      {(previous !== null || following !== null) && (
        <span className="row same-seat">
          {previous !== null && (
            <Button look="quiet" onPress={() => onChoose(previous)}>
              {capital(plain(seat))} before: {previous}
            </Button>
          )}
          {following !== null && (
            <Button look="quiet" onPress={() => onChoose(following)}>
              {capital(plain(seat))} next: {following}
            </Button>
          )}
        </span>
      )}
    </div>
  );
}

function Transcript({ items, n, quote, onChoose }: { items: LogItem[]; n: number; quote: { at: string; words: string }; onChoose: (n: number) => void }) {
  const box = useRef<HTMLOListElement>(null);
  const shown = items.filter(hasWords);
  const here = quote.at || (shown.find((one) => one.n >= n)?.id ?? "");
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(here)}"]`);
    const list = box.current;
    if (!row || !list) return;
    list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
    if (quote.at) {
      row.focus({ preventScroll: true });
      (row.querySelector("mark") ?? row).scrollIntoView({ block: "center" });
    }
  }, [here, quote.at, quote.words, items.length]);
  if (!shown.length) return <Loading>Opening the transcript</Loading>;
  return (
    <ol className={`log transcript ${shown.length > 500 ? "long" : ""}`} ref={box} aria-label="Transcript" tabIndex={0}>
      {shown.map((item) => (
        <LogRow
          key={item.id}
          item={item}
          here={item.id === here}
          quote={quote.at === item.id ? quote.words : ""}
          onChoose={(one) => onChoose(Math.max(1, one.n))}
        />
      ))}
    </ol>
  );
}

function View({ detail: { view, seat } }: { detail: ExchangeDetail }) {
  if (Object.keys(view).length) return <Value of={view} />;
  return (
    <Empty heading="Nothing of the case">
      <p>The {visible(plain(seat))} knows only what it is told: that stands under Feed.</p>
    </Empty>
  );
}

function Feed({ detail: { feed, seat } }: { detail: ExchangeDetail }) {
  const shown = feed.filter(hasWords);
  if (!shown.length) return <Empty heading="Nothing yet"><p>This was the first that the {plain(seat)} was asked.</p></Empty>;
  return (
    <ol className="log" aria-label={`What the ${plain(seat)} had been told, and had said`}>
      {shown.map((item) => (
        <LogRow key={item.id} item={item} />
      ))}
    </ol>
  );
}

function Reply({ detail }: { detail: ExchangeDetail }) {
  const { lines, reply, calls, wanted } = detail;
  return (
    <div className="stack">
      {lines.map((line, k) => (
        <p key={k} className="card">
          <b>{capital(visible(plain(line.label)))}</b>
          <span className="value-text">{visible(line.text)}</span>
        </p>
      ))}
      <h3>As it was given</h3>
      {reply ? <Value of={reply} /> : <p className="soft">No reply is recorded.</p>}
      <Used calls={calls} />
      {calls.map((call) => (
        <details key={`${call.path} ${call.call}`}>
          <summary>The model's own words{call.path && ` (inner ${call.path})`}</summary>
          <pre>{visible(call.reply)}</pre>
        </details>
      ))}
      {wanted && (
        <details>
          <summary>The form that the reply had to have</summary>
          <pre>{JSON.stringify(wanted, null, 2)}</pre>
        </details>
      )}
    </div>
  );
}
