// Figures as a terminal prints them: lines and tables, in the same words.
import { visible } from "#/design/text.ts";
import type { Part } from "../types.ts";

export function Parts({ parts }: { parts: Part[] }) {
  return (
    <>
      {parts.map((part, k) =>
        part.columns.length ? (
          <Printed key={k} part={part} />
        ) : part.heading ? (
          <h2 key={k}>{visible(part.text)}</h2>
        ) : (
          <Lines key={k} text={part.text} />
        ),
      )}
    </>
  );
}

function Lines({ text }: { text: string }) {
  return (
    <p className="printed-lines">
      {text.split("\n").map((line, k) => (
        <span key={k}>
          {k > 0 && <br />}
          {visible(line)}
        </span>
      ))}
    </p>
  );
}

function Printed({ part }: { part: Part }) {
  const figures = (n: number) => (part.right.includes(n) ? "num" : "");
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label={part.text || part.columns.join(", ")}>
      <table className="grid printed">
        {part.text && <caption>{visible(part.text)}</caption>}
        <thead>
          <tr>
            {part.columns.map((name, n) => (
              <th key={n} scope="col" className={figures(n)}>
                {visible(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {part.rows.map((row, k) => (
            <tr key={k}>
              {row.map((cell, n) =>
                n === 0 ? (
                  <th key={n} scope="row">
                    {visible(cell)}
                  </th>
                ) : (
                  <td key={n} className={figures(n)}>
                    {visible(cell)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
