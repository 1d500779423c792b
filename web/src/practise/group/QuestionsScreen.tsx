// The questionnaire after a round that a group shared: a mark for each question, or that one cannot say.
import "./group.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import { get, inWords } from "#/api/client.ts";
import type { SittingState } from "#/api/types-of.ts";
import { Button, LinkButton } from "#/design/Button.tsx";
import { TextBox } from "#/design/Fields.tsx";
import { Dots, Fault, Loading } from "#/design/States.tsx";
import { plural, visible } from "#/design/text.ts";
import { useKept } from "#/practise/sitting/kept.ts";
import { answer, useQuestionnaire, type Questionnaire } from "./api.ts";
import { CANNOT_SAY, MarkField, type Given } from "./MarkField.tsx";

export default function QuestionsScreen() {
  const { sitting = "" } = useParams();
  const asked = useQuestionnaire(sitting);
  const state = useQuery({
    queryKey: ["sitting", sitting],
    queryFn: () => get<SittingState>(`/api/sittings/${encodeURIComponent(sitting)}`),
  });
  if (asked.isPending) return <Loading />;
  if (!asked.data)
    return (
      <>
        <h1 className="unseen">Questions after the round</h1>
        <Fault error={asked.error} again={() => void asked.refetch()} heading="Nothing is asked here yet" />
        <p className="row" style={{ justifyContent: "center" }}>
          <LinkButton href={`/practise/${sitting}`}>To the round</LinkButton>
        </p>
      </>
    );
  return (
    <article className="questions-page">
      <div className="stack">
        <h1>{asked.data.tutor ? "How did you teach?" : "How was the tutor?"}</h1>
        {state.data && <p className="soft">{visible(state.data.title)}</p>}
        <p>{visible(asked.data.guide)}</p>
        {asked.data.tutor && <p>You were the tutor: answer as you think your students saw it. It is kept apart from their answers.</p>}
      </div>
      <Form key={sitting} sitting={sitting} asked={asked.data} door={state.data?.door ?? ""} />
    </article>
  );
}

function Form({ sitting, asked, door }: { sitting: string; asked: Questionnaire; door: string }) {
  const queries = useQueryClient();
  const before = asked.answered ? asked.questions.map(({ id, given }) => [id, given ?? CANNOT_SAY] as const) : [];
  const [marks, setMarks] = useKept<Record<string, Given>>(`osler.answers.${sitting}`, Object.fromEntries(before));
  const [comment, setComment] = useKept(`osler.comment.${sitting}`, asked.comment);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const [kept, keep] = useState(asked.answered);
  const open = asked.questions.filter(({ id }) => marks[id] === undefined);
  const send = async () => {
    if (open.length) return setWrong(`${plural(open.length, "question")} left. Give a mark, or say that you cannot say.`);
    setBusy(true);
    setWrong("");
    try {
      const given = asked.questions.map(({ id }) => [id, marks[id] === CANNOT_SAY ? null : Number(marks[id])] as const);
      queries.setQueryData(["questionnaire", sitting], await answer(sitting, Object.fromEntries(given), comment));
      keep(true);
    } catch (error) {
      setWrong(inWords(error));
    }
    setBusy(false);
  };
  const change = (id: string, mark: Given) => {
    setMarks({ ...marks, [id]: mark });
    setWrong("");
    keep(false);
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {asked.questions.map((question) => (
        <MarkField key={question.id} question={question} value={marks[question.id]} onChange={(mark) => change(question.id, mark)} />
      ))}
      <TextBox
        label="Anything else? (may stay empty)"
        hint="Your teacher reads it under the name you chose. Name nobody."
        lines={3}
        max={1000}
        value={comment}
        onChange={(words) => {
          setComment(words);
          keep(false);
        }}
      />
      {wrong && (
        <p className="notice" role="alert">
          {visible(wrong)}
        </p>
      )}
      <div className="row">
        {!kept && (
          <Button type="submit" look="main" isDisabled={busy}>
            {busy ? <Dots /> : "Send my answers"}
          </Button>
        )}
        <span role="status">
          {kept ? "Thank you. Your answers are kept; you may change them." : `${asked.questions.length - open.length} of ${asked.questions.length} answered`}
        </span>
      </div>
      {kept && (
        <div className="row">
          {door && (
            <LinkButton look="main" href={`/join/${door}`}>
              Back to the group
            </LinkButton>
          )}
          <LinkButton href={`/practise/${sitting}/debrief`}>See the debrief</LinkButton>
        </div>
      )}
    </form>
  );
}
