import { Button, LinkButton } from "#/design/Button.tsx";
import { Card } from "#/design/Card.tsx";
import { WarnBar } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import type { SittingState } from "#/api/types-of.ts";
import { USE_WORDS } from "./uses.ts";

/** Who plays, who marks, which computers receive the words, and what is kept: read before the first word. */
export function DisclosurePage({ state, onBegin }: { state: SittingState; onBegin: () => void }) {
  const { plays, marks, hosts, uses, consent } = state.disclosure;
  return (
    <div className="disclosure">
      <div>
        <h1>Before you begin</h1>
        <p className="soft">{visible(state.title)}</p>
      </div>
      {state.distressing && (
        <WarnBar>This case may be distressing. You can leave at any moment, and nothing is lost.</WarnBar>
      )}
      <Card>
        <dl>
          <div>
            <dt>Your seat</dt>
            <dd>{capital(seatWords(state.seat))}</dd>
          </div>
          {Object.entries(plays)
            .filter(([seat]) => seat !== state.seat)
            .map(([seat, who]) => (
              <div key={seat}>
                <dt>{capital(seatWords(seat))}</dt>
                <dd>{capital(visible(who))}</dd>
              </div>
            ))}
          <div>
            <dt>Who marks</dt>
            <dd>{capital(visible(marks)) || "Nobody: this encounter is not marked."}</dd>
          </div>
          <div>
            <dt>Where your words go</dt>
            <dd>
              {hosts.length
                ? `They are sent to ${hosts.map(visible).join(", ")}, and kept by this server.`
                : "They stay on this server. No other computer receives them."}
            </dd>
          </div>
          <div>
            <dt>What they may be used for</dt>
            <dd>{capital(uses.map((use) => USE_WORDS[use].short).join("; "))}.</dd>
          </div>
        </dl>
      </Card>
      {consent && <p className="card consent">{visible(consent)}</p>}
      <p>
        For education and research only. The patient is not real; please write nothing about a real one.
      </p>
      <div className="row">
        <Button look="main" onPress={onBegin}>
          Begin
        </Button>
        <LinkButton href="/practise" look="quiet">
          Not now
        </LinkButton>
      </div>
    </div>
  );
}

/** A seat's name in words: "student_1" becomes "student 1". */
export function seatWords(seat: string): string {
  return seat.replaceAll("_", " ");
}
