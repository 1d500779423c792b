// The recorded examples as cards, so that no screen is empty on the first day.
import "./tour.css";
import { useMe } from "#/app/me.ts";
import { LinkButton } from "#/design/Button.tsx";
import { Card } from "#/design/Card.tsx";
import { capital, visible } from "#/design/text.ts";
import { plain } from "#/evaluate/words.ts";
import { useExamples } from "./examples.ts";

const KINDS: Record<string, string> = { scenario: "Station" };

export function ExampleList({ heading = "Recorded examples" }: { heading?: string }) {
  const { data: me } = useMe();
  const { data } = useExamples(!!me?.rights.includes("watch"));
  if (!data?.examples.length) return null;
  return (
    <section className="stack">
      <div>
        <h2>{heading}</h2>
        <p className="soft small">
          Recorded for this demonstration. We wrote the words of the doctor, the examinee, or the tutor and the
          students; every other part is a built-in player (rules, no language model).
        </p>
      </div>
      <ul className="examples">
        {data.examples.map((one) => (
          <li key={one.run}>
            <Card>
              <h3>{visible(one.title)}</h3>
              <p className="small soft">
                {KINDS[one.protocol] ?? capital(plain(one.protocol))}, as the {plain(one.seat)} sees it
              </p>
              {one.ready ? (
                <p>
                  <LinkButton href={`/watch/${one.run}/${one.n}`} aria-label={`Watch: ${visible(one.title)}`}>
                    Watch
                  </LinkButton>
                </p>
              ) : (
                <p className="small soft">It is being made ready.</p>
              )}
            </Card>
          </li>
        ))}
      </ul>
    </section>
  );
}
