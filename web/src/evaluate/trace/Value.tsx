import { visible } from "#/design/text.ts";
import { plain } from "../words.ts";

/** Any JSON, readable: names and values, nested as they are. */
export function Value({ of }: { of: unknown }) {
  if (of === null || of === undefined) return <span className="soft">none</span>;
  if (typeof of === "boolean") return <span>{of ? "yes" : "no"}</span>;
  if (typeof of !== "object") return <span className="value-text">{visible(String(of))}</span>;
  if (Array.isArray(of)) {
    if (!of.length) return <span className="soft">none</span>;
    return (
      <ul className="value-list">
        {of.map((one, k) => (
          <li key={k}>
            <Value of={one} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl className="value">
      {Object.entries(of).map(([name, one]) => (
        <div key={name}>
          <dt>{visible(plain(name))}</dt>
          <dd>
            <Value of={one} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
