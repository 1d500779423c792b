import type { ReactNode } from "react";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { capital, span, visible } from "#/design/text.ts";
import { comparePath, runPath, tracePath, watchPath } from "../address.ts";
import { Crumbs } from "../Crumbs.tsx";
import { Fact } from "../run/RunScreen.tsx";
import { SaveEpisode } from "../SaveEpisode.tsx";
import type { EpisodeDetail } from "../types.ts";
import { ended as look, number, plain } from "../words.ts";

/** Which episode this is, how it ended, and where one can go from it. */
export function TraceHead({ episode, onBranch, keys }: { episode: EpisodeDetail; onBranch: (() => void) | null; keys: ReactNode }) {
  const { run, line, seats, views, ended } = episode;
  const id = `${run}:${line.ordinal}`;
  return (
    <header className="stack">
      <Crumbs
        steps={[
          ["Runs", "/evaluate"],
          [run, runPath(run)],
        ]}
      />
      <div className="row spread">
        <div className="row">
          <h1>
            Episode {number(line.ordinal)}
            {line.case && `: ${visible(line.case)}`}
          </h1>
          <Badge look={ended ? look(line.status) : "own"}>{ended ? visible(plain(line.status)) : "being played"}</Badge>
          {line.person && <Badge look="own">with a person</Badge>}
        </div>
        <nav className="row" aria-label="Episodes beside this one">
          {episode.previous !== null && (
            <LinkButton look="quiet" href={tracePath(run, episode.previous)}>
              <Icon name="back" size={18} /> Episode {number(episode.previous)}
            </LinkButton>
          )}
          {episode.following !== null && (
            <LinkButton look="quiet" href={tracePath(run, episode.following)}>
              Episode {number(episode.following)} <Icon name="next" size={18} />
            </LinkButton>
          )}
        </nav>
      </div>
      <dl className="facts">
        <Fact name="Protocol" text={plain(episode.protocol)} />
        {seats.map(({ seat, player, model, person }) => (
          <Fact key={seat} name={plain(seat)} text={person ? "a person" : model ? `${player} (${model})` : player} />
        ))}
        <Fact name="Simulated time" text={span(line.minutes)} />
        <Fact name="Turns" text={number(line.turns)} />
        <Fact name="Tests" text={number(line.tests)} />
        {line.reason && <Fact name="Ended" text={plain(line.reason)} />}
        <Fact name="World" text={line.key.slice(0, 12)} />
        {episode.branch_of && <Fact name="Branch of" text={`${episode.branch_of}, ${episode.kept} exchanges kept`} />}
      </dl>
      {episode.ending && episode.ending !== plain(line.reason) && <p className="ending">{visible(episode.ending)}</p>}
      {episode.hidden && <p className="soft">{capital(visible(episode.hidden))}.</p>}
      <div className="row actions">
        <LinkButton href={watchPath(run, line.ordinal)} look="main">
          Watch
        </LinkButton>
        {onBranch && <Button onPress={onBranch}>What if?</Button>}
        <LinkButton href={comparePath(id, "")}>Compare</LinkButton>
        {keys}
      </div>
      <SaveEpisode episode={episode} view={views.includes("all") ? "all" : (views[0] ?? "doctor")} />
    </header>
  );
}
