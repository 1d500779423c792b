import { Link } from "wouter";
import { visible } from "#/design/text.ts";

/** The way back: from the list of runs to here. */
export function Crumbs({ steps }: { steps: [name: string, path: string][] }) {
  return (
    <nav aria-label="You are here" className="crumbs">
      <ol>
        {steps.map(([name, path]) => (
          <li key={path}>
            <Link href={path}>{visible(name)}</Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
