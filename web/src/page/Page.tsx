import "../watch/player/player.css";
import { useMemo } from "react";
import { Empty } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import { useAddress } from "#/evaluate/address.ts";
import { hasWords } from "../watch/log/LogRow.tsx";
import { Player } from "../watch/player/Player.tsx";
import { withEnd } from "../watch/player/eyes.ts";
import { WhoseEyes } from "../watch/player/WhoseEyes.tsx";
import type { Held, HeldView } from "./held.ts";
import { useVisits } from "./place.ts";

export function Page({ episode }: { episode: Held }) {
  const { get, set } = useAddress();
  const visits = useVisits();
  const { title, note, ended, plan, views } = episode;
  const view = views.find(({ name }) => name === get("view")) ?? views[0]!;
  const names = views.map(({ name }) => name);
  return (
    <>
      <main className="page">
        <div className="stack wide-page player">
          <div className="row spread player-head">
            <h1>{visible(title)}</h1>
            <WhoseEyes views={names} value={view.name} onChange={(name) => set({ view: name })} />
          </div>
          {!ended && <p className="soft">It was still being played when this page was saved.</p>}
          <Seen key={`${visits} ${view.name}`} view={view} ended={ended} plan={plan} views={names} />
        </div>
      </main>
      <footer className="foot">{visible(note)}</footer>
    </>
  );
}

function Seen({ view: { name, items, made }, ended, plan, views }: { view: HeldView; ended: boolean; plan: Held["plan"]; views: string[] }) {
  const shown = useMemo(() => withEnd(items, ended), [items, ended]);
  if (!shown.some(hasWords))
    return (
      <Empty heading="Nothing is recorded here">
        <p>In this view nothing was said or done.</p>
      </Empty>
    );
  // Nothing will be added to a file, so that it never waits for more.
  return <Player plan={plan} made={made} items={shown} ended view={name} views={views} />;
}
