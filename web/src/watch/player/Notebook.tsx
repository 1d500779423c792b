// The notebook: what was earned so far, each entry with the exchange where it was; at last the conclusion with its grounds.
import { Badge } from "#/design/Badge.tsx";
import { LinkButton } from "#/design/Button.tsx";
import { Icon, type IconName } from "#/design/Icon.tsx";
import { asWritten, capital, clock, visible } from "#/design/text.ts";
import { plain } from "#/evaluate/words.ts";
import type { Card } from "#/hospital/types.ts";
import { conclusionOf, earnedBy } from "./evidence.ts";
import type { Row } from "./rows.ts";

const KINDS: Record<Card["kind"], { word: string; icon: IconName }> = {
  result: { word: "Result", icon: "test" },
  evidence: { word: "Became known", icon: "tick" },
  picture: { word: "Picture", icon: "picture" },
  memory: { word: "From memory", icon: "again" },
  refusal: { word: "No result", icon: "cross" },
};

export interface NotebookProps {
  cards: Card[];
  rows: Row[];
  /** The rows so far. */
  past: Row[];
  ended: boolean;
  /** The address of the trace, where there is one. */
  trace: string | undefined;
  onGo: (id: string) => void;
}

export function Notebook({ cards, rows, past, ended, trace, onGo }: NotebookProps) {
  const memories = cards.filter(({ kind }) => kind === "memory");
  const others = cards.filter(({ kind }) => kind !== "memory");
  return (
    <div className="notebook" tabIndex={0} role="group" aria-label="Notebook">
      {!cards.length && <p className="soft">Nothing has been earned yet. What is found out, and what was ordered and came back, is kept here.</p>}
      {memories.length > 0 && (
        <section>
          <h2>From memory</h2>
          <ul className="fan">
            {memories.map((card, k) => (
              <Entry key={k} card={card} rows={rows} onGo={onGo} />
            ))}
          </ul>
        </section>
      )}
      <ul className="entries">
        {others.map((card, k) => (
          <Entry key={k} card={card} rows={rows} onGo={onGo} />
        ))}
      </ul>
      <Concluded past={past} onGo={onGo} />
      {ended && trace && (
        <p>
          <LinkButton href={trace}>The verdict, in the trace</LinkButton>
        </p>
      )}
    </div>
  );
}

function Entry({ card, rows, onGo }: { card: Card; rows: Row[]; onGo: (id: string) => void }) {
  const { word, icon } = KINDS[card.kind];
  const words = card.kind === "evidence" ? earnedBy(rows, card.id) : "";
  const text = asWritten(card.text);
  return (
    <li className={`entry ${card.kind}`}>
      <div className="row spread">
        <span className="small entry-kind">
          <Icon name={icon} size={16} /> {word}
        </span>
        <Earned id={card.id} minute={card.minute} onGo={onGo} />
      </div>
      <b>{card.kind === "evidence" ? titled(card.title) : capital(visible(card.title))}</b>
      {text && <p>{text}</p>}
      {/made up|by policy/.test(card.text) && <Badge look="warn">not from the case</Badge>}
      {words && <blockquote className="small soft">“{visible(words)}”</blockquote>}
      {card.picture && <img src={card.picture} alt={`${visible(card.title)}: the picture, without its report`} loading="lazy" />}
    </li>
  );
}

/** An entry of a case by its id: "f12" is a number in a list, "read_report" says what it is. */
const titled = (id: string) => (/^[a-z]\d+$/.test(id) ? `Entry ${id} of the case` : capital(visible(plain(id))));

function Earned({ id, minute, onGo }: { id: string; minute: number; onGo: (id: string) => void }) {
  return (
    <button type="button" className="earned small" onClick={() => onGo(id)} aria-label={`${clock(minute)} · exchange ${id.split(".")[0]}: go there`}>
      {clock(minute)} · exchange {id.split(".")[0]}
    </button>
  );
}

function Concluded({ past, onGo }: { past: Row[]; onGo: (id: string) => void }) {
  const found = conclusionOf(past);
  if (!found) return null;
  const { row, lines, confidence, grounds } = found;
  return (
    <section className="concluded">
      <div className="row spread">
        <h2>The conclusion</h2>
        <Earned id={row.item.id} minute={row.item.minute} onGo={onGo} />
      </div>
      {lines.map(({ label, text }, k) => (
        <p key={k}>
          <b>{capital(visible(plain(label)))}:</b> {visible(text)}
        </p>
      ))}
      {confidence !== null && <p className="small soft">Confidence as it was said: {Math.round(100 * confidence)} %</p>}
      {grounds.length > 0 && (
        <ul className="grounds">
          {grounds.map(({ text, row: from }, k) => (
            <li key={k}>
              {visible(text)}{" "}
              {from ? <Earned id={from.item.id} minute={from.item.minute} onGo={onGo} /> : <Badge look="bad">not word for word in this log</Badge>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
