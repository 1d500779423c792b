// One study or one card of the benchmark.
import "../evaluate.css";
import "./results.css";
import { useParams } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { LinkButton } from "#/design/Button.tsx";
import { visible } from "#/design/text.ts";
import { when } from "../words.ts";
import { Cells } from "./Cells.tsx";
import { OnePage } from "./OnePage.tsx";
import { Parts } from "./Parts.tsx";
import { cardPage, useResult } from "./queries.ts";

export default function ResultScreen() {
  const { name = "" } = useParams();
  return (
    <OnePage query={useResult(name)} waiting="Opening the result">
      {({ line, notes, parts, cells }) => (
        <>
          <div className="row spread">
            <div className="row">
              <h1>{visible(line.title)}</h1>
              <Badge>{line.kind === "card" ? "Card" : "Study"}</Badge>
            </div>
            {line.kind === "card" && (
              <LinkButton href={cardPage(line.id)} target="_blank">
                Open its own page
              </LinkButton>
            )}
          </div>
          <p>{visible(line.about)}</p>
          <p className="soft small">
            {when(line.written)} · {notes.map(visible).join(" · ")}
          </p>
          <Parts parts={parts} />
          {cells.length > 0 && <Cells cells={cells} />}
        </>
      )}
    </OnePage>
  );
}
