// One encounter played again, or followed while it goes on, through the eyes one chooses.
import "./player.css";
import { useMemo, useState } from "react";
import { useParams } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { floorPath, runPath, tracePath, useAddress } from "#/evaluate/address.ts";
import { WhatIf, type Instant } from "#/evaluate/branch/WhatIf.tsx";
import { Crumbs } from "#/evaluate/Crumbs.tsx";
import { SaveEpisode } from "#/evaluate/SaveEpisode.tsx";
import { useEpisode } from "#/evaluate/queries.ts";
import type { EpisodeDetail } from "#/evaluate/types.ts";
import { number } from "#/evaluate/words.ts";
import { hasWords } from "../log/LogRow.tsx";
import { withEnd } from "./eyes.ts";
import { Player } from "./Player.tsx";
import { useChoreography, usePlan } from "./useChoreography.ts";
import { useGrowingLog } from "./useGrowingLog.ts";
import { WhoseEyes } from "./WhoseEyes.tsx";

export default function PlayerScreen() {
  const { run = "", n = "0" } = useParams();
  const episode = useEpisode(run, Number(n));
  if (episode.error && !episode.data)
    return (
      <>
        <h1 className="unseen">Episode {n}</h1>
        <Fault error={episode.error} again={() => void episode.refetch()} />
      </>
    );
  if (!episode.data) return <Loading>Opening the encounter</Loading>;
  return <Eyes episode={episode.data} />;
}

/** Chooses the view, which the server makes: what a view may not hold never comes here. */
function Eyes({ episode }: { episode: EpisodeDetail }) {
  const { run, line, views } = episode;
  const { get, set } = useAddress();
  const wanted = get("view") || views[0] || "doctor";
  return (
    <div className="stack wide-page player">
      <div className="row spread player-head">
        <div>
          <Crumbs
            steps={[
              ["Runs", "/evaluate"],
              ...(episode.title ? [] : [[run, runPath(run)] as [string, string]]),
              [episode.title || `Episode ${line.ordinal}`, tracePath(run, line.ordinal)],
              ...(episode.title ? [] : [["Its floor", floorPath(run, { episode: line.ordinal, view: wanted, at: get("at") })] as [string, string]]),
            ]}
          />
          <h1>{episode.title ? `Watch: ${visible(episode.title)}` : `Watch episode ${number(line.ordinal)}${line.case && `: ${visible(line.case)}`}`}</h1>
        </div>
        {!episode.ended && <Badge look="own">being played</Badge>}
        <WhoseEyes views={views} value={wanted} onChange={(view) => set({ view })} />
      </div>
      {episode.hidden && <p className="soft">{capital(visible(episode.hidden))}.</p>}
      <Seen key={wanted} episode={episode} view={wanted} />
      <SaveEpisode episode={episode} view={wanted} />
    </div>
  );
}

function Seen({ episode, view }: { episode: EpisodeDetail; view: string }) {
  const { run, line } = episode;
  const [branching, setBranching] = useState<{ at: Instant; chair: string } | null>(null);
  const log = useGrowingLog(run, line.ordinal, view);
  const plan = usePlan();
  const made = useChoreography(run, line.ordinal, view, log.data?.last);
  const items = useMemo(() => withEnd(log.data?.items ?? [], !!log.data?.ended), [log.data]);
  for (const one of [log, plan, made]) if (one.error && !one.data) return <Fault error={one.error} again={() => void one.refetch()} />;
  if (!log.data || !plan.data || !made.data) return <Loading>Opening the encounter</Loading>;
  if (!items.some(hasWords))
    return (
      <Empty heading="Nothing is recorded yet">
        <p>{log.data.ended ? "In this view nothing was said or done." : "It appears here as soon as it happens."}</p>
      </Empty>
    );
  return (
    <>
      <Player
        plan={plan.data}
        made={made.data}
        items={items}
        ended={log.data.ended}
        view={view}
        views={episode.views}
        served={{
          trace: tracePath(run, line.ordinal),
          // Nobody steps in where somebody else plays.
          seats: episode.views.includes("all") ? episode.seats.map(({ seat }) => seat) : [],
          onBranch: (at, chair) => setBranching({ at, chair }),
        }}
      />
      {branching && <WhatIf episode={episode} {...branching} onClose={() => setBranching(null)} />}
    </>
  );
}
