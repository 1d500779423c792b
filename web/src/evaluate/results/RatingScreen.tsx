// A rating set: how far it has come, and how far raters and judges agree.
import "../evaluate.css";
import "./results.css";
import { Link, useParams, useSearchParams } from "wouter";
import { visible } from "#/design/text.ts";
import { runPath } from "../address.ts";
import { Fact } from "../run/RunScreen.tsx";
import { number, plain } from "../words.ts";
import { OnePage } from "./OnePage.tsx";
import { Parts } from "./Parts.tsx";
import { useRating } from "./queries.ts";

export default function RatingScreen() {
  const { scale = "" } = useParams();
  const [params] = useSearchParams();
  return (
    <OnePage query={useRating(scale, params.getAll("run"))} waiting="Comparing the ratings">
      {(found) => (
        <>
          <h1>Ratings: {visible(plain(found.scale))}</h1>
          <p>
            {found.runs.map((run, k) => (
              <span key={run}>
                {k > 0 && ", "}
                <Link href={runPath(run)}>{visible(run)}</Link>
              </span>
            ))}
          </p>
          <dl className="facts">
            <Fact name="Episodes rated" text={`${number(found.rated)} of ${number(found.episodes)}`} />
            <Fact name="By two or more" text={number(found.shared)} />
            {Object.entries(found.raters).map(([rater, count]) => (
              <Fact key={rater} name={rater} text={number(count)} />
            ))}
          </dl>
          <Parts parts={found.parts} />
        </>
      )}
    </OnePage>
  );
}
