// A study whose runs are in this store: its conditions, and how far each has been played.
import "../evaluate.css";
import "./results.css";
import { Link, useParams } from "wouter";
import { visible } from "#/design/text.ts";
import { Cells } from "./Cells.tsx";
import { OnePage } from "./OnePage.tsx";
import { useStudiesHere } from "./queries.ts";

export default function StudyScreen() {
  const { name = "" } = useParams();
  return (
    <OnePage query={useStudiesHere()} waiting="Looking for the study">
      {(studies) => {
        const study = studies.find((one) => one.name === name);
        return (
          <>
            <h1>{visible(name)}</h1>
            {study ? <Cells cells={study.cells} /> : <p>No run of this store belongs to this study.</p>}
            <p className="soft">
              <code>osler study run {visible(name)} --out FOLDER/FILE.json</code> writes its figures to a file, and{" "}
              <code>osler serve --results FOLDER</code> shows them under <Link href="/evaluate/results">studies and cards</Link>.
            </p>
          </>
        );
      }}
    </OnePage>
  );
}
