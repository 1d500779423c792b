// Two episodes chosen to be compared. They may be of different runs, so the choice outlives the screen.
import { useState } from "react";
import { Button, LinkButton } from "#/design/Button.tsx";
import { comparePath } from "../address.ts";

const KEPT = "osler.compare";
const PAIR = 2;

export interface TrayState {
  chosen: string[];
  has: (episode: string) => boolean;
  toggle: (episode: string) => void;
  clear: () => void;
}

/** What is chosen, kept under a key while the tab is open; beyond `most` the first chosen gives way. */
export function useTray(kept = KEPT, most = PAIR): TrayState {
  const [chosen, choose] = useState<string[]>(() => (sessionStorage.getItem(kept) ?? "").split("\n").filter(Boolean));
  const keep = (next: string[]) => {
    sessionStorage.setItem(kept, next.join("\n"));
    choose(next);
  };
  return {
    chosen,
    has: (episode) => chosen.includes(episode),
    toggle: (episode) =>
      keep(chosen.includes(episode) ? chosen.filter((one) => one !== episode) : [...chosen, episode].slice(-most)),
    clear: () => keep([]),
  };
}

export function Tray({ tray: { chosen, clear } }: { tray: TrayState }) {
  if (!chosen.length) return null;
  const [a = "", b = ""] = chosen;
  return (
    <div className="tray" role="region" aria-label="Chosen to compare">
      <span role="status">
        {chosen.length === 1 ? `${a} is chosen. Choose one more, here or in another run.` : `${a} and ${b} are chosen.`}
      </span>
      <span className="row">
        {chosen.length === 2 && (
          <LinkButton look="main" href={comparePath(a, b)}>
            Compare
          </LinkButton>
        )}
        <Button onPress={clear}>Clear</Button>
      </span>
    </div>
  );
}
