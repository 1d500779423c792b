// A run under each of its judges, and the judges compared.
import "../evaluate.css";
import "./results.css";
import { Link, useParams } from "wouter";
import { visible } from "#/design/text.ts";
import { runPath } from "../address.ts";
import { Measures } from "../run/Figures.tsx";
import { number } from "../words.ts";
import { OnePage } from "./OnePage.tsx";
import { Parts } from "./Parts.tsx";
import { useJudgedRun } from "./queries.ts";

export default function JudgedScreen() {
  const { run = "" } = useParams();
  return (
    <OnePage query={useJudgedRun(run)} waiting="Comparing the judges">
      {(found) => (
        <>
          <h1>Judges of {visible(found.run.run)}</h1>
          <p>
            <Link href={runPath(found.run.run)}>Open the run</Link>
          </p>
          {found.alone ? <p>{visible(found.alone)}</p> : <Parts parts={found.parts} />}
          {found.judges.map(({ judge, measures }) => (
            <section key={judge.name} className="stack" aria-label={`Under ${judge.name}`}>
              <h2>Under {visible(judge.name)}</h2>
              <p className="soft small">
                {number(judge.episodes)} of {number(found.run.done)} episodes, {judge.versions.length === 1 ? "version" : "versions"}{" "}
                {judge.versions.map(visible).join(", ")}
              </p>
              {measures.length > 0 ? <Measures measures={measures} label={`Measures under ${judge.name}`} /> : <p className="soft">It gives none of the measures of the protocol.</p>}
            </section>
          ))}
        </>
      )}
    </OnePage>
  );
}
