// The end of a round that a group shared: its questions, the debrief, and the round that comes next.
import type { SittingState } from "#/api/types-of.ts";
import { LinkButton } from "#/design/Button.tsx";
import { DebriefLink } from "#/practise/sitting/DebriefLink.tsx";
import { useQuestionnaire, type GroupState } from "./api.ts";

export function RoundOver({ state, group }: { state: SittingState; group: GroupState }) {
  const asked = useQuestionnaire(state.id);
  const next = group.status === "going_on" && group.sitting && group.sitting !== state.id;
  return (
    <div className="row" style={{ justifyContent: "center" }}>
      {asked.data && (
        <LinkButton look={asked.data.answered ? "plain" : "main"} href={`/practise/${state.id}/questions`}>
          {asked.data.answered ? "Your answers" : "Answer the questions"}
        </LinkButton>
      )}
      {next ? (
        <LinkButton look="main" href={`/practise/${group.sitting}`}>
          The next round has begun: go there
        </LinkButton>
      ) : (
        <LinkButton href={`/join/${state.door}`}>{group.status === "between" ? "To the next round" : "To the seats"}</LinkButton>
      )}
      <DebriefLink state={state} />
    </div>
  );
}
