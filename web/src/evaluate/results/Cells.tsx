// The conditions of a study and the run of each.
import { Link } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { visible } from "#/design/text.ts";
import { runPath } from "../address.ts";
import { Progress } from "../runs/Progress.tsx";
import type { StudyCell } from "../types.ts";
import { RUN_STATES } from "../words.ts";

export function Cells({ cells }: { cells: StudyCell[] }) {
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Conditions">
      <table className="grid">
        <caption>Conditions, and the run of each</caption>
        <thead>
          <tr>
            <th scope="col">Condition</th>
            <th scope="col">Cases</th>
            <th scope="col">Run</th>
            <th scope="col">Played</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {cells.map((one) => (
            <tr key={`${one.cases} ${one.condition} ${one.run}`}>
              <th scope="row">{visible(one.condition)}</th>
              <td>{visible(one.cases)}</td>
              <td>{one.run ? <Link href={runPath(one.run)}>{visible(one.run)}</Link> : <span className="soft">not here</span>}</td>
              <td>{one.run && <Progress done={one.done} planned={one.planned} />}</td>
              <td>{one.status && <Badge look={RUN_STATES[one.status].look}>{RUN_STATES[one.status].text}</Badge>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
