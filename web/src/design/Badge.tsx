import "./surfaces.css";
import type { ReactNode } from "react";

/** A word or two about a thing. The colour only repeats what the word says. */
export function Badge({ look, children }: { look?: "good" | "warn" | "bad" | "quiet" | "own"; children: ReactNode }) {
  return <span className={`badge ${look ?? ""}`}>{children}</span>;
}
