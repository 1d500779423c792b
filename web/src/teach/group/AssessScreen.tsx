// Everything in a group's round, for the teacher: drafts and reviews too.
import "../teach.css";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { get } from "#/api/client.ts";
import { untilRefused } from "#/api/withdrawal.ts";
import { LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Fault, Loading, WarnBar } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import type { Assessed } from "#/practise/group/api.ts";
import { address } from "../api.ts";
import { Round } from "./Round.tsx";

export default function AssessScreen() {
  const { room = "", sitting = "" } = useParams();
  const round = useQuery({
    queryKey: ["room", room, "assess", sitting],
    queryFn: () => get<Assessed>(address(room, `/assess/${encodeURIComponent(sitting)}`)),
    refetchInterval: untilRefused(2_500),
  });
  return (
    <div className="teach narrow">
      <div className="row spread">
        <h1>{round.data ? visible(round.data.title) : "A round"}</h1>
        <LinkButton look="quiet" href={`/teach/rooms/${room}`}>
          <Icon name="back" /> The board
        </LinkButton>
      </div>
      <WarnBar>For your eyes alone: drafts, reviews and what was said in private stand here too.</WarnBar>
      {round.isPending && <Loading />}
      {round.isError && <Fault error={round.error} again={() => void round.refetch()} />}
      {round.data && !round.isError && <Round round={round.data} />}
    </div>
  );
}
