// Who sits where in a round that a group shares: people by the name they go by, simulated ones marked as such.
import "./group.css";
import { Badge } from "#/design/Badge.tsx";
import { capital, visible } from "#/design/text.ts";
import type { Seated } from "./people.ts";
import { seatName } from "./words.ts";

export function WhoSits({ seated, waiting }: { seated: Seated[]; waiting: string[] }) {
  return (
    <ul className="who-sits" aria-label="Who sits where">
      {seated.map(({ seat, name, who, you, hidden }) => (
        <li key={seat} className={you ? "yours" : ""}>
          <b>{capital(seatName(seat))}</b>
          {name && <span>{visible(name)}</span>}
          {who && <Badge look={you ? "own" : "good"}>{you ? "you" : visible(who)}</Badge>}
          {!who && <Badge {...(hidden ? { look: "quiet" as const } : {})}>{hidden ? "you are not told who" : "simulated"}</Badge>}
          {waiting.includes(seat) && <span className="soft small">{seat === "tutor" ? "writes a draft" : "is asked"}</span>}
        </li>
      ))}
    </ul>
  );
}
