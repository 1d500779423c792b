// What stands beside the talk: vital signs with their way, and the people in the room.
import { Face, seedOf } from "#/design/Face.tsx";
import { Icon } from "#/design/Icon.tsx";
import { clock, visible } from "#/design/text.ts";
import type { Sign, Somebody } from "./log.ts";

export function VitalStrip({ seen }: { seen: { signs: Sign[]; minute: number } | null }) {
  if (!seen) return <p className="soft small">No vital signs yet: nobody has taken them.</p>;
  return (
    <div className="vital-strip">
      <dl>
        {seen.signs.map((one) => (
          <div key={one.name}>
            <dt title={one.name}>{visible(one.short)}</dt>
            <dd>
              <b>{visible(one.value)}</b>
              {one.before && (
                <span className="way">
                  <span aria-hidden>{one.way === "up" ? "▲" : one.way === "down" ? "▼" : "↺"} </span>
                  <span className="unseen">{one.way || "changed"} </span>from {visible(one.before)}
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p className="soft small">
        <Icon name="wait" size={15} /> seen at {clock(seen.minute)}
      </p>
    </div>
  );
}

export function People({ here, left }: { here: Somebody[]; left: string[] }) {
  return (
    <section aria-label="Who is here" className="people">
      <ul>
        {here.map((one) => (
          <li key={one.id} title={one.about}>
            <Face age={one.age} sex={one.sex} mood={one.mood} seed={seedOf(one.name)} size={34} />
            <span>
              <b>{visible(one.name)}</b>
              <span className="soft small">
                {one.role === "team" ? "team" : one.role}
                {one.came ? ", came in" : ""}
              </span>
            </span>
          </li>
        ))}
        {left.map((name) => (
          <li key={name} className="gone soft small">
            {visible(name)} has left
          </li>
        ))}
      </ul>
    </section>
  );
}
