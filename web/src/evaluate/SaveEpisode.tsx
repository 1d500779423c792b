import { LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { visible } from "#/design/text.ts";
import { episodeApi } from "./address.ts";
import type { EpisodeDetail } from "./types.ts";
import { plain } from "./words.ts";

/** Saving an episode as a page of its own: what will be in it, or why it may not leave. */
export function SaveEpisode({ episode, view }: { episode: EpisodeDetail; view: string }) {
  const { run, line, unsaved } = episode;
  if (unsaved)
    return (
      <p className="row small soft">
        <Icon name="lock" size={18} /> It cannot be saved as a file: {visible(unsaved)}.
      </p>
    );
  return (
    <div className="row saving">
      <LinkButton
        href={`${episodeApi(run, line.ordinal)}/player.html?view=${encodeURIComponent(view)}`}
        download={`${run}-${line.ordinal}-${view}.html`}
      >
        Save as one file
      </LinkButton>
      <span className="small soft">{inIt(view)} It opens in any browser, without a network.</span>
    </div>
  );
}

function inIt(view: string): string {
  if (view === "all") return "A page that plays this encounter in four views, with everything said, done and thought, and its pictures.";
  if (view === "room") return "A page that plays what was said and done openly in this encounter, with its pictures.";
  return `A page that plays this encounter as the ${visible(plain(view))} had it, and nothing else, with its pictures.`;
}
