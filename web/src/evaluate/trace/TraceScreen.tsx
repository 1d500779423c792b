// One episode: its timeline, its exchanges, the chosen exchange as its seat saw it, and how it was judged.
import "../evaluate.css";
import "./trace.css";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { Keys } from "#/design/Keys.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { WhatIf } from "../branch/WhatIf.tsx";
import { tracePath, useAddress } from "../address.ts";
import { useEpisode, useExchanges, useLog, useRunFollowed } from "../queries.ts";
import type { EpisodeDetail, ExchangeLine } from "../types.ts";
import { Exchange } from "./Exchange.tsx";
import { ExchangeList } from "./ExchangeList.tsx";
import { Judgements } from "./Judgements.tsx";
import { Timeline } from "./Timeline.tsx";
import { TraceHead } from "./TraceHead.tsx";

export default function TraceScreen() {
  const { run = "", n = "0" } = useParams();
  const ordinal = Number(n);
  const episode = useEpisode(run, ordinal);
  const exchanges = useExchanges(run, ordinal);
  const error = episode.error ?? exchanges.error;
  if (error && !(episode.data && exchanges.data))
    return (
      <>
        <h1 className="unseen">Episode {n}</h1>
        <Fault error={error} again={() => void (episode.refetch(), exchanges.refetch())} />
      </>
    );
  if (!episode.data || !exchanges.data) return <Loading>Opening the episode</Loading>;
  return <Trace episode={episode.data} exchanges={exchanges.data} />;
}

function Trace({ episode, exchanges }: { episode: EpisodeDetail; exchanges: ExchangeLine[] }) {
  const { run, line, ended } = episode;
  const view = episode.views.includes("all") ? "all" : (episode.views[0] ?? "doctor");
  const log = useLog(run, line.ordinal, view);
  useRunFollowed(run, !ended);
  const { get, set } = useAddress();
  const [, go] = useLocation();
  const [branching, setBranching] = useState(false);
  const wanted = Number(get("e")) || exchanges[0]?.n || 0;
  const at = Math.max(0, exchanges.findIndex((one) => one.n >= wanted));
  const chosen = exchanges[at] ?? null;
  const quote = { at: get("at"), words: get("quote") };

  const choose = (n: number) => set({ e: String(n), at: "", quote: "" });
  const step = (by: number) => {
    const next = exchanges[at + by];
    if (next) choose(next.n);
  };
  const toEpisode = (n: number | null) => n !== null && go(tracePath(run, n));
  const keys = [
    { key: "j", shown: "J", does: "The next exchange", press: () => step(1) },
    { key: "k", shown: "K", does: "The exchange before", press: () => step(-1) },
    { key: "ArrowRight", shown: "Right arrow", does: "The next exchange", press: () => step(1) },
    { key: "ArrowLeft", shown: "Left arrow", does: "The exchange before", press: () => step(-1) },
    { key: "Shift+J", shown: "Shift + J", does: "The next episode of the run", press: () => toEpisode(episode.following) },
    { key: "Shift+K", shown: "Shift + K", does: "The episode before", press: () => toEpisode(episode.previous) },
  ];
  const items = log.data?.items ?? [];
  return (
    <div className="stack wide-page">
      <TraceHead episode={episode} onBranch={chosen ? () => setBranching(true) : null} keys={<Keys keys={keys} />} />
      {log.error ? <Fault error={log.error} again={() => void log.refetch()} /> : <Timeline items={items} chosen={chosen?.n ?? 0} onChoose={choose} />}
      <div className="trace">
        <ExchangeList exchanges={exchanges} chosen={at} onChoose={choose} ended={ended} />
        <Exchange
          episode={episode}
          items={items}
          chosen={chosen}
          quote={quote}
          tab={get("tab") || "log"}
          onTab={(tab) => set({ tab: tab === "log" ? "" : tab })}
          onChoose={choose}
          step={{ before: at > 0 ? () => step(-1) : null, next: at < exchanges.length - 1 ? () => step(1) : null }}
        />
        <Judgements
          episode={episode}
          onQuote={(id, words) => set({ at: id, quote: words, tab: "", e: id.split(".")[0] === "0" ? "1" : id.split(".")[0] }, true)}
        />
      </div>
      {branching && chosen && <WhatIf episode={episode} at={chosen} onClose={() => setBranching(false)} />}
    </div>
  );
}
