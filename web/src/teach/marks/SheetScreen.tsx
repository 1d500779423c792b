// A marking sheet beside the transcript: a person's marks, kept as a judgement of their own. It is marked blind:
// the verdict by rule on an item comes once this person's own mark of it is kept.
import "../teach.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import { get, put } from "#/api/client.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Pills, TextBox } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { plural, visible } from "#/design/text.ts";
import { address, inWords, useRoomState, type Sheet } from "../api.ts";
import { Transcript } from "../board/Transcript.tsx";
import { figure } from "../words.ts";
import { keepTeacherName, teacherName } from "./name.ts";

type Met = "yes" | "no" | "open";
const MET: { id: Met; text: string }[] = [
  { id: "yes", text: "Done" },
  { id: "no", text: "Not done" },
  { id: "open", text: "Open" },
];

export default function SheetScreen() {
  const { room = "", sitting = "" } = useParams();
  const [by, setBy] = useState(teacherName);
  const [marker, setMarker] = useState(by);
  const key = ["room", room, "sheet", sitting, marker];
  const sheet = useQuery({
    queryKey: key,
    queryFn: () => get<Sheet>(address(room, `/sheet/${encodeURIComponent(sitting)}?by=${encodeURIComponent(marker)}`)),
    staleTime: Infinity,
  });
  const named = () => {
    keepTeacherName(by);
    setMarker(by.trim());
  };
  return (
    <div className="teach">
      <div className="row spread">
        <h1>{sheet.data ? `Marking ${visible(sheet.data.pseudonym)}: ${visible(sheet.data.title)}` : "Marking"}</h1>
        <LinkButton look="quiet" href={`/teach/rooms/${room}`}>
          <Icon name="back" /> The board
        </LinkButton>
      </div>
      <form
        className="row who-marks"
        onSubmit={(event) => {
          event.preventDefault();
          named();
        }}
      >
        <TextBox label="Who marks" value={by} onChange={setBy} max={60} />
        {by.trim() !== marker && (
          <Button look="main" type="submit" isDisabled={!by.trim()}>
            {marker ? "Mark under this name" : "That is me"}
          </Button>
        )}
      </form>
      {sheet.isPending && <Loading />}
      {sheet.isError && <Fault error={sheet.error} again={() => void sheet.refetch()} />}
      {sheet.data && (
        <div className="beside">
          {marker ? (
            <Items key={`${sitting} ${marker}`} sheet={sheet.data} room={room} by={marker} told={key} />
          ) : (
            <p className="soft">Say first who marks: the marks are kept under that name.</p>
          )}
          <section className="follows" aria-label="Transcript" tabIndex={0}>
            <h2>What was said and done</h2>
            {sheet.data.log.length ? (
              <Transcript log={sheet.data.log} tested={sheet.data.seat} />
            ) : (
              <p className="soft">This room does not show words.</p>
            )}
          </section>
        </div>
      )}
    </div>
  );
}

const agrees = ({ rules, met }: Sheet["items"][number]) => rules === (met ? "done" : "not done");

interface Marks {
  [item: string]: { met: boolean | null; comment: string };
}

/** Marks that are not kept yet, which outlive a look at the board or a reload of this tab. */
function draftOf(key: string, sheet: Sheet): Marks {
  const kept: Marks = Object.fromEntries(sheet.items.map(({ id, met, comment }) => [id, { met, comment }]));
  try {
    return { ...kept, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Marks) };
  } catch {
    return kept;
  }
}

function Items({ sheet, room, by, told }: { sheet: Sheet; room: string; by: string; told: unknown[] }) {
  const queries = useQueryClient();
  const draft = `osler.sheet ${sheet.sitting} ${by}`;
  const [marks, setMarks] = useState(() => draftOf(draft, sheet));
  const [remarked, remark] = useState<string[]>([]);
  const keep = useMutation({
    mutationFn: () =>
      put<Sheet>(address(room, `/sheet/${encodeURIComponent(sheet.sitting)}`), {
        by,
        items: Object.entries(marks).map(([id, mark]) => ({ id, ...mark })),
      }),
    onSuccess: (kept) => {
      sessionStorage.removeItem(draft);
      queries.setQueryData(told, kept);
    },
  });
  const set = (id: string, part: object) => {
    const now = { ...marks, [id]: { ...marks[id]!, ...part } };
    sessionStorage.setItem(draft, JSON.stringify(now));
    setMarks(now);
  };
  const open = sheet.items.filter((one) => marks[one.id]!.met === null).length;
  const changed = sheet.items.some(
    (one) => marks[one.id]!.met !== one.met || marks[one.id]!.comment !== one.comment,
  );
  return (
    <section aria-label="Marking sheet">
      <h2>The sheet</h2>
      <p className="soft small">
        For learning, not for grading. You mark blind: what the rules found stands beside an item once your own mark of
        it is kept. Your marks change none of the others.
      </p>
      <ul>
        {sheet.items.map((one) => {
          const mark = marks[one.id]!;
          return (
            <li key={one.id} className="sheet-item">
              <p>
                {visible(one.text)} {one.critical && <Badge look="warn">critical</Badge>}{" "}
                {one.against && <Badge look="bad">counts against</Badge>}
              </p>
              <div className="row spread">
                <Pills
                  label={`Mark: ${visible(one.text)}`}
                  options={MET}
                  value={mark.met === null ? "open" : mark.met ? "yes" : "no"}
                  onChange={(met) => set(one.id, { met: met === "open" ? null : met === "yes" })}
                />
                {!mark.comment && !remarked.includes(one.id) && (
                  <Button
                    look="quiet"
                    aria-label={`Remark on: ${visible(one.text)}`}
                    onPress={() => remark([...remarked, one.id])}
                  >
                    Remark
                  </Button>
                )}
                {one.rules && <Badge look={agrees(one) ? "good" : "warn"}>By rules: {one.rules}</Badge>}
              </div>
              {(mark.comment || remarked.includes(one.id)) && (
                <TextBox
                  label="Remark"
                  value={mark.comment}
                  onChange={(comment) => set(one.id, { comment })}
                  max={600}
                />
              )}
            </li>
          );
        })}
      </ul>
      <div className="stays">
        <div className="row">
          <Button look="main" onPress={() => keep.mutate()} isDisabled={keep.isPending}>
            Keep the marks
          </Button>
          <span role="status">
            {sheet.score && !changed ? (
              <>
                Kept: <b>{figure(sheet.score)}</b>
              </>
            ) : (
              `${sheet.items.length - open} of ${sheet.items.length} marked`
            )}
          </span>
          {!changed && sheet.score && <Next room={room} sitting={sheet.sitting} by={by} />}
          {open > 0 && changed && (
            <span className="soft small">
              {plural(open, "open item")}: the sheet has no figure until all are marked.
            </span>
          )}
        </div>
        {keep.isError && (
          <p className="notice" role="alert">
            {visible(inWords(keep.error))}
          </p>
        )}
      </div>
    </section>
  );
}

/** The next encounter of the room that this person has not marked. */
function Next({ room, sitting, by }: { room: string; sitting: string; by: string }) {
  const state = useRoomState(room);
  for (const learner of state.data?.learners ?? [])
    for (const one of learner.sittings)
      if (one.may_mark && one.id !== sitting && !one.marks.some((mark) => mark.by === by))
        return (
          <LinkButton href={`/teach/rooms/${room}/sheet/${one.id}`}>Next: {visible(learner.pseudonym)}</LinkButton>
        );
  return null;
}
