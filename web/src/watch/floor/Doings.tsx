// The episodes of a floor as a list: where each is, and what happens in it now. It is complete without the picture.
import { Link } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { capital, clock as clocked, visible } from "#/design/text.ts";
import { ended, number, plain } from "#/evaluate/words.ts";
import { plainly } from "../player/rows.ts";
import type { Part } from "./floorPlay.ts";
import { Dot } from "./states.tsx";
import type { FloorEpisode } from "./useFloors.ts";

export interface DoingsProps {
  episodes: FloorEpisode[];
  parts: Part[];
  t: number;
  statusOf: (episode: FloorEpisode) => string;
  /** The address of an episode at this instant. */
  pathOf: (n: number) => string;
}

export function Doings({ episodes, parts, t, statusOf, pathOf }: DoingsProps) {
  return (
    <section className="doings" aria-label="The episodes of this floor" tabIndex={0}>
      <ol>
        {episodes.map((episode) => {
          const part = parts.find(({ n }) => n === episode.n);
          const status = statusOf(episode);
          return (
            <li key={episode.n} className="doing">
              <div className="row spread">
                <h2>
                  {part ? <Link href={pathOf(episode.n)}>Episode {number(episode.n)}</Link> : `Episode ${number(episode.n)}`}
                  <span className="soft small"> {visible(episode.room)}</span>
                </h2>
                <Badge look={status === "planned" ? "quiet" : status === "running" ? "own" : ended(status)}>
                  <Dot status={status} /> {visible(plain(status))}
                </Badge>
              </div>
              {part ? <Doing part={part} t={t} isEnded={episode.ended} /> : <p className="soft">{whyNot(episode)}</p>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function whyNot({ hidden }: FloorEpisode): string {
  return hidden ? `${capital(visible(hidden))}.` : "It has not begun. It appears here as soon as it does.";
}

/** The scene that plays, in words. */
function Doing({ part: { timeline }, t, isEnded }: { part: Part; t: number; isEnded: boolean }) {
  const scene = timeline.scene(Math.max(0, timeline.sceneAt(t)));
  if (!scene) return <p className="soft">Nothing is recorded yet.</p>;
  const isOver = t >= timeline.end;
  return (
    <>
      <p className="small soft">
        <b>{clocked(scene.minute)}</b> simulated{scene.where && `, ${visible(scene.where)}`}
        {isOver && (isEnded ? ", ended" : ", the newest line")}
      </p>
      <div className="doing-now">
        {scene.what.split("\n").map((line, k) => (
          <p key={k}>{capital(visible(plainly(line)))}</p>
        ))}
      </div>
    </>
  );
}
