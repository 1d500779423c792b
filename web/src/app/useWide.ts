import { useSyncExternalStore } from "react";

/** Whether the window is at least so wide, in rem: for layouts that CSS alone cannot make. */
export function useWide(rem: number): boolean {
  const query = window.matchMedia(`(min-width: ${rem}rem)`);
  return useSyncExternalStore(
    (tell) => {
      query.addEventListener("change", tell);
      return () => query.removeEventListener("change", tell);
    },
    () => query.matches,
  );
}
