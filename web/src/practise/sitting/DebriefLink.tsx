// The way to the debrief of an ended sitting, or why it has to wait.
import type { SittingState } from "#/api/types-of.ts";
import { LinkButton } from "#/design/Button.tsx";
import { capital, visible } from "#/design/text.ts";

export function DebriefLink({ state }: { state: SittingState }) {
  if (state.withheld) return <p>{capital(visible(state.withheld))}. What you said is kept.</p>;
  return (
    <LinkButton look="main" href={`/practise/${state.id}/debrief`}>
      See the debrief
    </LinkButton>
  );
}
