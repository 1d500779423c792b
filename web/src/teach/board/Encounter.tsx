// One encounter as it goes on: to be shown to a class, or read by the teacher alone, which it says.
import "../teach.css";
import { useEffect, useRef } from "react";
import { useParams } from "wouter";
import { Badge } from "#/design/Badge.tsx";
import { LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading, WarnBar } from "#/design/States.tsx";
import { plural, visible } from "#/design/text.ts";
import { useShown } from "../api.ts";
import { STATUS } from "../words.ts";
import { Transcript } from "./Transcript.tsx";

export function Encounter({ how }: { how: "read" | "show" }) {
  const { room = "", sitting = "" } = useParams();
  const shown = useShown(room, how, sitting);
  const end = useRef<HTMLDivElement>(null);
  const count = shown.data?.log.length ?? 0;
  useEffect(() => {
    void end.current?.scrollIntoView({ block: "nearest" }); // newer browsers return a promise
  }, [count]);
  const now = shown.isError ? undefined : shown.data;
  return (
    <div className={`teach ${how === "read" ? "narrow" : ""}`}>
      <div className="row spread">
        <h1>{now ? `${visible(now.pseudonym)}: ${visible(now.title)}` : "An encounter"}</h1>
        <LinkButton look="quiet" href={`/teach/rooms/${room}`}>
          <Icon name="back" /> The board
        </LinkButton>
      </div>
      {shown.isPending && <Loading />}
      {shown.isError && <Fault error={shown.error} again={() => void shown.refetch()} />}
      {now && (
        <>
          {how === "read" && (
            <WarnBar
              action={
                !now.unshared && (
                  <LinkButton href={`/teach/rooms/${room}/show/${sitting}`}>Show to the class</LinkButton>
                )
              }
            >
              For your eyes alone{now.unshared ? `, not for a class: ${visible(now.unshared)}.` : "."}
            </WarnBar>
          )}
          <div className="row">
            <Badge look={STATUS[now.status].look}>{STATUS[now.status].text}</Badge>
            <span className="soft">{plural(now.turn, "turn")}</span>
          </div>
          {count === 0 && <Empty icon="say" heading="Nothing has been said yet" />}
          <Transcript log={now.log} tested={now.seat} big={how === "show"} />
          <div ref={end} />
        </>
      )}
    </div>
  );
}
