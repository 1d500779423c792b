// "I did that": what learners contest, and the teacher's answer. The verdict stays; a second figure appears.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "#/api/client.ts";
import { untilRefused } from "#/api/withdrawal.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { TextBox } from "#/design/Fields.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import { address, inWords, type Question } from "../api.ts";
import { keepTeacherName, teacherName } from "./name.ts";

export function Contests({ room }: { room: string }) {
  const queue = useQuery({
    queryKey: ["room", room, "contests"],
    queryFn: () => get<Question[]>(address(room, "/contests")),
    refetchInterval: untilRefused(10_000),
  });
  const [by, setBy] = useState(teacherName);
  if (queue.isPending) return <Loading />;
  if (queue.isError) return <Fault error={queue.error} again={() => void queue.refetch()} />;
  return (
    <div className="stack" style={{ paddingTop: "1rem" }}>
      <p className="soft">
        The mark by rule stays as it is. What you accept stands beside it, and makes a second figure.
      </p>
      {queue.data.length === 0 && <Empty icon="quote" heading="Nothing is contested" />}
      {queue.data.length > 0 && (
        <TextBox
          label="Your name, as learners see it"
          hint="Left empty, learners read: your teacher."
          value={by}
          onChange={(name) => {
            setBy(name);
            keepTeacherName(name);
          }}
          max={60}
        />
      )}
      <ul className="stack">
        {queue.data.map((one) => (
          <li key={`${one.sitting} ${one.item}`} className="card">
            <Asked key={one.answer} one={one} room={room} by={by} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Asked({ one, room, by }: { one: Question; room: string; by: string }) {
  const queries = useQueryClient();
  const [comment, setComment] = useState(one.comment);
  const answer = useMutation({
    mutationFn: (answer: "accept" | "refuse") =>
      post<Question>(address(room, "/contests"), { sitting: one.sitting, item: one.item, answer, comment, by }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["room", room] }),
  });
  return (
    <>
      <div className="row spread">
        <b>{visible(one.pseudonym)}</b>
        {one.answer ? (
          <Badge look={one.answer === "accept" ? "good" : "quiet"}>
            {one.answer === "accept" ? "accepted" : "refused"} by {visible(one.by)}
          </Badge>
        ) : (
          <Badge look="warn">waits</Badge>
        )}
      </div>
      <p>
        {visible(one.text)} <span className="soft small">({visible(one.title)})</span>
      </p>
      {one.words && <blockquote className="said">{visible(one.words)}</blockquote>}
      <TextBox label="A word to the learner" value={comment} onChange={setComment} max={600} />
      <div className="row">
        <Button look="main" isDisabled={answer.isPending} onPress={() => answer.mutate("accept")}>
          Accept
        </Button>
        <Button isDisabled={answer.isPending} onPress={() => answer.mutate("refuse")}>
          Refuse
        </Button>
        <LinkButton look="quiet" href={`/teach/rooms/${room}/read/${one.sitting}`}>
          Read the encounter
        </LinkButton>
      </div>
      {answer.isError && (
        <p className="notice" role="alert">
          {visible(inWords(answer.error))}
        </p>
      )}
    </>
  );
}
