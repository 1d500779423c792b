// What a screen shows stands in its address: filters, sort, the chosen exchange. So it can be sent to a colleague.
import { useLocation, useSearchParams } from "wouter";

export type Params = Record<string, string | null | undefined>;

/** One value of the address, and a function that changes some values; an empty value is left out. */
export function useAddress(): { get: (name: string) => string; set: (changes: Params, push?: boolean) => void } {
  const [params, change] = useSearchParams();
  return {
    get: (name) => params.get(name) ?? "",
    set: (changes, push = false) =>
      change(
        (now) => {
          const next = new URLSearchParams(now);
          for (const [name, value] of Object.entries(changes)) {
            if (value) next.set(name, value);
            else next.delete(name);
          }
          return next;
        },
        { replace: !push },
      ),
  };
}

/** The compared runs that the address names, the baseline first, and a function that chooses others. */
export function useRunNames(): { names: string[]; score: string[]; choose: (names: string[], score?: string[]) => void } {
  const [params] = useSearchParams();
  const [, go] = useLocation();
  const score = params.getAll("score");
  return {
    names: [...new Set(params.getAll("run"))],
    score,
    choose: (names, next = score) => go(compareRunsPath(names, next)),
  };
}

/** A path with a query; empty values are left out. */
export function address(path: string, query: Record<string, string | number | boolean | null | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

const part = encodeURIComponent;
export const runPath = (run: string) => `/evaluate/runs/${part(run)}`;
export const tracePath = (run: string, n: number) => `${runPath(run)}/${n}`;
/** An exchange of an episode, with words of a log item to look at. */
export const exchangePath = (run: string, n: number, e: number, at: string, quote: string) => address(tracePath(run, n), { e, at, quote });
export const searchPath = (run = "") => address("/evaluate/search", { run });
export const watchPath = (run: string, n: number) => `/watch/${part(run)}/${n}`;
/** A floor of a run in the hospital: by its number, or the one of an episode, at an instant of it. */
export const floorPath = (run: string, at: { floor?: number; episode?: number; view?: string; at?: string } = {}) =>
  address(`/watch/${part(run)}`, at);
export const comparePath = (a: string, b: string) => address("/evaluate/compare", { a, b });
/** The page that compares runs, the baseline first; `score` are the measures compared, if others than usual. */
export const compareRunsPath = (names: string[], score: string[] = []) => {
  const search = new URLSearchParams([...names.map((name) => ["run", name]), ...score.map((name) => ["score", name])]);
  return `/evaluate/compare-runs?${search.toString()}`;
};
export const runApi = (run: string) => `/api/runs/${part(run)}`;
export const episodeApi = (run: string, n: number) => `/api/episodes/${part(run)}/${n}`;
