// Two episodes chosen to be compared, in the address. They may be of different runs, so the choice outlives the screen.
import { useEffect } from "react";
import { Button, LinkButton } from "#/design/Button.tsx";
import { comparePath, useAddress } from "../address.ts";

const KEPT = "osler.compare";
const PAIR = 2;

export interface TrayState {
  chosen: string[];
  has: (episode: string) => boolean;
  toggle: (episode: string) => void;
  clear: () => void;
}

/** What is chosen, kept under a key while the tab is open and under a name in the address; beyond `most` the first chosen
 * gives way. */
export function useTray(kept = KEPT, name = "chosen", most = PAIR): TrayState {
  const { get, set } = useAddress();
  const chosen = listed(get(name), " ", most);
  const keep = (next: string[]) => {
    sessionStorage.setItem(kept, next.join("\n"));
    set({ [name]: next.join(" ") });
  };
  // What was chosen on another screen is put into this one's address, unless that holds a choice of its own.
  useEffect(() => {
    const before = listed(sessionStorage.getItem(kept) ?? "", "\n", most);
    if (chosen.length) keep(chosen);
    else if (before.length) set({ [name]: before.join(" ") });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, as the screen opens
  }, []);
  return {
    chosen,
    has: (episode) => chosen.includes(episode),
    toggle: (episode) =>
      keep(chosen.includes(episode) ? chosen.filter((one) => one !== episode) : [...chosen, episode].slice(-most)),
    clear: () => keep([]),
  };
}

const listed = (text: string, by: string, most: number) => text.split(by).filter(Boolean).slice(-most);

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
