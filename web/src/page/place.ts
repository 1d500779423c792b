// The address of a page that is a file: what the player keeps in the query elsewhere stands after the "#" here, so that a
// refresh, or a link with it, leads to the same instant.
import { useEffect, useState, useSyncExternalStore } from "react";

const read = () => window.location.hash.slice(1);
let here = read();
const told = new Set<() => void>();

function subscribe(tell: () => void): () => void {
  told.add(tell);
  return () => void told.delete(tell);
}

function move(to: string): void {
  here = to;
  told.forEach((tell) => tell());
}

window.addEventListener("hashchange", () => move(read()));

function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const query = to.slice(to.indexOf("?") + 1 || to.length);
  try {
    if (replace) window.history.replaceState(null, "", `#${query}`);
    else window.history.pushState(null, "", `#${query}`);
  } catch {
    // A browser may refuse this to a file, or to somebody who is too fast: then the page goes on without it.
  }
  move(query);
}

export const useHashSearch = () => useSyncExternalStore(subscribe, () => here);

/** There is one path only. */
export const useHash = (): [string, typeof go] => ["/", go];

/** How often the address was changed by hand, by a link or by going back: then the page opens anew at what it says. */
export function useVisits(): number {
  const [visits, setVisits] = useState(0);
  useEffect(() => {
    const count = () => setVisits((before) => before + 1);
    window.addEventListener("hashchange", count);
    return () => window.removeEventListener("hashchange", count);
  }, []);
  return visits;
}
