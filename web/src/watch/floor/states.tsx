// How an episode stands, as a word and a drawing: never by colour alone.
import { ended, plain } from "#/evaluate/words.ts";

const SHAPES = {
  planned: "M5 0.5a4.500 4.500 0 1 0 .01 0zM5 2a3 3 0 1 1-.01 0z",
  running: "M1.500 0l8 5-8 5z",
  completed: "M5 0.5a4.500 4.500 0 1 0 .01 0z",
  stopped: "M0.500 0.500h9v9h-9z",
  failed: "M0 2l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z",
};
export type State = keyof typeof SHAPES;

const BY_LOOK = { good: "completed", bad: "failed", warn: "stopped", own: "running" } as const;

/** The state of an episode by its status: `planned`, `running`, or how it ended. */
export function stateOf(status: string): State {
  return status === "planned" || status === "running" ? status : BY_LOOK[ended(status)];
}

export function Dot({ status }: { status: string }) {
  const state = stateOf(status);
  return (
    <svg viewBox="0 0 10 10" width={12} height={12} aria-hidden focusable="false" className={`floor-dot ${state}`}>
      <path d={SHAPES[state]} fillRule="evenodd" fill="currentColor" />
    </svg>
  );
}

/** "2 completed, 1 running". */
export function counted(statuses: string[]): string {
  const counts = new Map<string, number>();
  for (const one of statuses) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([status, count]) => (statuses.length > 1 ? `${count} ${plain(status)}` : plain(status))).join(", ");
}
