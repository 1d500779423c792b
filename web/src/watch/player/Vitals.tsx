// The monitor of a station: the signs as they were last measured, each with its change since the time before.
import { capital, visible } from "#/design/text.ts";
import type { Monitor } from "#/hospital/types.ts";

const TRENDS = { up: { shape: "M5 9V1M1 5l4-4 4 4", word: "higher" }, down: { shape: "M5 1v8M1 5l4 4 4-4", word: "lower" }, same: { shape: "M1 5h8", word: "as before" } };

export function Vitals({ now, before }: { now: Monitor; before: Monitor | null }) {
  return (
    <dl className="vitals" aria-label="Monitor">
      {Object.entries(now.vitals).map(([name, value]) => {
        const trend = trendOf(value, before?.vitals[name]);
        return (
          <div key={name}>
            <dt>{capital(visible(name))}</dt>
            <dd>
              <b>{visible(value)}</b>
              {trend && (
                <span className="trend">
                  <svg width="10" height="10" viewBox="0 0 10 10" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden focusable="false">
                    <path d={TRENDS[trend].shape} />
                  </svg>
                  <span className="word"> {TRENDS[trend].word}</span>
                </span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The change of a sign, by the first number that it has. */
function trendOf(now: string, before: string | undefined): keyof typeof TRENDS | null {
  const [a, b] = [now, before ?? ""].map((text) => Number(/-?\d+(\.\d+)?/.exec(text)?.[0] ?? Number.NaN));
  if (a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b)) return null;
  return a > b ? "up" : a < b ? "down" : "same";
}
