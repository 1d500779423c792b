// A part of a form that may stay folded: its heading, and what is chosen in it now.
import type { ReactNode } from "react";

export function Fold({ heading, now, children }: { heading: string; now: string; children: ReactNode }) {
  return (
    <details className="card fold">
      <summary>
        {heading} <span className="soft small">{now}</span>
      </summary>
      {children}
    </details>
  );
}
