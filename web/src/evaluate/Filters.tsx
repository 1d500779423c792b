import type { ReactNode } from "react";
import { useNarrow } from "./useNarrow.ts";

/** A field to search by, and the filters beside it; on a narrow screen they are folded below it. */
export function Filters({ label, search, on, children }: { label: string; search: ReactNode; on: number; children: ReactNode }) {
  const narrow = useNarrow();
  return (
    <div className={narrow ? "stack" : "filters"} role="search" aria-label={label}>
      {search}
      {narrow ? (
        <details>
          <summary>Filters{on > 0 && ` (${on} on)`}</summary>
          <div className="filters">{children}</div>
        </details>
      ) : (
        children
      )}
    </div>
  );
}
