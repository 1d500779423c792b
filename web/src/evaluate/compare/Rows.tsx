// The exchanges of two episodes, row by row: what they share is folded, and where they part is marked.
import { useState } from "react";
import { Button } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { capital, clock, plural, visible } from "#/design/text.ts";
import { useNarrow } from "../useNarrow.ts";
import type { Beside, Compared, ExchangeLine, Line } from "../types.ts";
import { plain } from "../words.ts";

export function Rows({ compared: { rows, first_difference: parts } }: { compared: Compared }) {
  const shared = parts ?? rows.length;
  const [open, setOpen] = useState(false);
  const differing = rows.slice(shared);
  return (
    <section className="stack" aria-label="Exchanges side by side">
      <h2>{parts === null ? "They do not differ" : "Exchange by exchange"}</h2>
      {shared > 0 && (
        <Button onPress={() => setOpen(!open)} aria-expanded={open} className="fold">
          {open ? "Hide" : "Show"} the {plural(shared, "exchange")} that both share
        </Button>
      )}
      {open && <List rows={rows.slice(0, shared)} label="Shared exchanges" shared />}
      {parts !== null && (
        <p className="parting" role="note">
          <Icon name="next" size={18} /> Here they part: {wherefrom(differing[0])}
        </p>
      )}
      <List rows={differing} label="Exchanges after they part" />
    </section>
  );
}

function wherefrom(row: Beside | undefined): string {
  const one = row?.a ?? row?.b;
  return one ? `exchange ${one.n}, ${plain(one.seat)}` : "one of them ends";
}

function List({ rows, label, shared = false }: { rows: Beside[]; label: string; shared?: boolean }) {
  const narrow = useNarrow();
  return (
    <ol className={`beside ${shared ? "shared" : ""}`} aria-label={label}>
      {rows.map((row, k) => (
        <li key={k} className={row.same ? "same" : ""}>
          <Cell name={narrow ? "First" : ""} line={row.a} lines={row.a_lines} />
          <Cell name={narrow ? "Second" : ""} line={row.b} lines={row.b_lines} />
        </li>
      ))}
    </ol>
  );
}

function Cell({ name, line, lines }: { name: string; line: ExchangeLine | null; lines: Line[] }) {
  return (
    <div className="beside-cell">
      {name && <span className="small soft">{name}</span>}
      {line ? (
        <span className="small soft">
          {[`${line.n}`, plain(line.seat), plain(line.act), clock(line.minute)].filter(Boolean).map(visible).join(" · ")}
        </span>
      ) : (
        <span className="soft small">no exchange here</span>
      )}
      {lines.map((one, k) => (
        <p key={k} className={`log-line ${one.kind === "said" ? "said" : "note"} ${one.public ? "" : "private"}`}>
          <b>{capital(visible(plain(one.label)))}: </b>
          <span className="log-text">{visible(one.text)}</span>
        </p>
      ))}
    </div>
  );
}
