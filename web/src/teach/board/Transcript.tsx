// What was said and done openly in an encounter, line by line.
import type { LogItem } from "#/api/types-of.ts";
import { capital, clock, visible } from "#/design/text.ts";

export function Transcript({ log, tested, big }: { log: LogItem[]; tested: string; big?: boolean }) {
  return (
    <ol className={`transcript ${big ? "big" : ""}`}>
      {log.flatMap((item) =>
        item.lines.map((line, at) => (
          <li key={`${item.id}.${at}`} className={`line ${line.by === tested ? "tested" : ""}`}>
            <span className="who">
              {capital(visible(line.label))} <span className="soft">{clock(item.minute)}</span>
            </span>
            {visible(line.text)}
          </li>
        )),
      )}
    </ol>
  );
}
