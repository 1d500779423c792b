// What people answered after their rounds: by tutor and by period with intervals, and everybody's own answers.
import "../teach.css";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { get } from "#/api/client.ts";
import { untilRefused } from "#/api/withdrawal.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import type { AnswerTable, MeanAnswer } from "#/practise/group/api.ts";
import { seatTitle } from "#/practise/group/words.ts";
import { address } from "../api.ts";
import { tutorWords } from "./words.ts";

export default function AnswersScreen() {
  const { room = "" } = useParams();
  const table = useQuery({
    queryKey: ["room", room, "answers"],
    queryFn: () => get<AnswerTable>(address(room, "/answers")),
    refetchInterval: untilRefused(10_000),
    staleTime: 0,
  });
  return (
    <div className="teach">
      <div className="row spread">
        <h1>Answers</h1>
        <div className="row no-print">
          <Button onPress={() => window.print()}>Print</Button>
          <a className="button plain" href={address(room, "/answers.csv")} download>
            Download the table (CSV)
          </a>
          <LinkButton look="quiet" href={`/teach/rooms/${room}`}>
            <Icon name="back" /> The board
          </LinkButton>
        </div>
      </div>
      {table.isPending && <Loading />}
      {table.isError && !table.data && <Fault error={table.error} again={() => void table.refetch()} />}
      {table.data && <Shown table={table.data} />}
    </div>
  );
}

function Shown({ table }: { table: AnswerTable }) {
  const { items, rows, tutors, periods, left } = table;
  if (!rows.length)
    return (
      <Empty icon="chart" heading="No round has ended yet">
        {left > 0 && <p>{plural(left, "person", "people")} left their seat before the end.</p>}
      </Empty>
    );
  return (
    <>
      <p className="soft">
        For learning and research, not for grading. The means are of students; what people say of their own teaching stands
        in their own row. {left ? `${plural(left, "person", "people")} left their seat to a built-in player before the end and ${left === 1 ? "was" : "were"} not asked.` : "Nobody left a seat before the end."}
      </p>
      <Means heading="By tutor" first="Tutor" items={items} means={tutors} of={(one) => tutorWords(one)} />
      <Means heading="By round" first="Round" items={items} means={periods} of={capital} />
      <p className="soft small">
        95 % intervals, clustered by person and by case. A dash: too few people or cases for an interval.
      </p>
      <section className="stack">
        <h2>Everybody&apos;s answers</h2>
        <div className="table-box by-card" tabIndex={0} role="region" aria-label="Everybody's answers">
          <table>
            <thead>
              <tr>
                {["Learner", "Group", "Round", "Seat", "Tutor", "Case", ...Object.values(items).map(short), "Comment"].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={`${row.group} ${row.period} ${row.seat} ${row.pseudonym}`}>
                  <th scope="row">{visible(row.pseudonym)}</th>
                  <td data-head="Group">{row.group}</td>
                  <td data-head="Round">{row.period}</td>
                  <td data-head="Seat">{seatTitle(row.seat)}</td>
                  <td data-head="Tutor">{visible(tutorWords(row.tutor))}</td>
                  <td data-head="Case">{visible(row.title)}</td>
                  {Object.entries(items).map(([id, asks]) => (
                    <td key={id} data-head={short(asks)}>
                      {row.answered ? (row.marks[id] ?? "cannot say") : "not answered"}
                    </td>
                  ))}
                  <td data-head="Comment">{visible(row.comment) || "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <dl className="told small">
          {Object.values(items).map((asks) => (
            <div key={asks}>
              <dt>{short(asks)}</dt>
              <dd>{visible(asks)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

interface MeansProps {
  heading: string;
  first: string;
  items: AnswerTable["items"];
  means: MeanAnswer[];
  of: (one: string) => string;
}

function Means({ heading, first, items, means, of }: MeansProps) {
  if (!means.length) return null;
  return (
    <section className="stack">
      <h2>{heading}</h2>
      <div className="table-box by-card" tabIndex={0} role="region" aria-label={heading}>
        <table>
          <thead>
            <tr>
              {[first, "Question", "Mean", "95 % interval", "Answers", "Unanswered", "People", "Cases"].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {means.map((one) => (
              <tr key={`${one.of} ${one.item}`}>
                <th scope="row">{visible(of(one.of))}</th>
                <td data-head="Question">{short(items[one.item] ?? one.item)}</td>
                <td data-head="Mean">{one.value === null ? "–" : one.value.toFixed(1)}</td>
                <td data-head="95 % interval">
                  {one.low === null || one.high === null ? "–" : `${one.low.toFixed(1)} to ${one.high.toFixed(1)}`}
                </td>
                <td data-head="Answers">{one.n}</td>
                <td data-head="Unanswered">{one.unanswered}</td>
                <td data-head="People">{one.people}</td>
                <td data-head="Cases">{one.cases}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The head of a question: "Instructional quality" of "Instructional quality: how much ...". */
const short = (asks: string) => visible(asks.split(":")[0] ?? asks);
