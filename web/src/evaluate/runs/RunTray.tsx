// Runs chosen in the list to be compared, in the order of choosing: the first is the baseline.
import { Button, LinkButton } from "#/design/Button.tsx";
import { listed, visible } from "#/design/text.ts";
import { compareRunsPath } from "../address.ts";
import { FEWEST_RUNS, MOST_RUNS } from "../compare-runs/letters.tsx";
import { type TrayState, useTray } from "../run/Tray.tsx";

export const useRunTray = (): TrayState => useTray("osler.compare-runs", "compared", MOST_RUNS);

export function RunTray({ tray: { chosen, clear } }: { tray: TrayState }) {
  if (!chosen.length) return null;
  return (
    <div className="tray" role="region" aria-label="Runs chosen to compare">
      <span role="status">
        {chosen.length < FEWEST_RUNS
          ? `${visible(chosen[0] ?? "")} is chosen. Choose up to ${MOST_RUNS - 1} more of the same protocol.`
          : `${listed(chosen.map(visible))} are chosen; the first is the baseline.`}
      </span>
      <span className="row">
        {chosen.length >= FEWEST_RUNS && (
          <LinkButton look="main" href={compareRunsPath(chosen)}>
            Compare {chosen.length} runs
          </LinkButton>
        )}
        <Button onPress={clear}>Clear</Button>
      </span>
    </div>
  );
}
