// Keeps the instant in the address: at once when it stands still, now and then while it plays.
import { useEffect, useRef } from "react";

export function useKept(here: string, playing: boolean, keep: (here: string) => void) {
  const tell = useRef(keep);
  tell.current = keep;
  const kept = useRef({ here, at: 0 });
  useEffect(() => {
    if (kept.current.here === here) return;
    if (playing && Date.now() - kept.current.at < 1_000) return;
    kept.current = { here, at: Date.now() };
    tell.current(here);
  }, [here, playing]);
}
