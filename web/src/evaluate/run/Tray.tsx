// Two episodes chosen to be compared, in the address. They may be of different runs, so the choice outlives the screen.
import { useEffect } from "react";
import { Button, LinkButton } from "#/design/Button.tsx";
import { comparePath, useAddress } from "../address.ts";

const KEPT = "osler.compare";

export interface TrayState {
  chosen: string[];
  has: (episode: string) => boolean;
  toggle: (episode: string) => void;
  clear: () => void;
}

export function useTray(): TrayState {
  const { get, set } = useAddress();
  const chosen = listed(get("chosen"), " ");
  const keep = (next: string[]) => {
    sessionStorage.setItem(KEPT, next.join("\n"));
    set({ chosen: next.join(" ") });
  };
  // What was chosen on another screen is put into this one's address, unless that holds a choice of its own.
  useEffect(() => {
    const before = listed(sessionStorage.getItem(KEPT) ?? "", "\n");
    if (chosen.length) keep(chosen);
    else if (before.length) set({ chosen: before.join(" ") });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, as the screen opens
  }, []);
  return {
    chosen,
    has: (episode) => chosen.includes(episode),
    toggle: (episode) =>
      keep(chosen.includes(episode) ? chosen.filter((one) => one !== episode) : [...chosen, episode].slice(-2)),
    clear: () => keep([]),
  };
}

const listed = (text: string, by: string) => text.split(by).filter(Boolean).slice(-2);

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
