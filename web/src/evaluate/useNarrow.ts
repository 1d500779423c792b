import { useSyncExternalStore } from "react";

const query = window.matchMedia("(max-width: 56rem)");

/** Whether the window is too narrow for columns side by side. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (tell) => {
      query.addEventListener("change", tell);
      return () => query.removeEventListener("change", tell);
    },
    () => query.matches,
  );
}
