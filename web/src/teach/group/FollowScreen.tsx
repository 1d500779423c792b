// A round of a group, read by a learner without a seat: what is open, or for an assessor everything.
import "../teach.css";
import { useParams } from "wouter";
import { LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Fault, Loading, WarnBar } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import { useFollowed, useSharing } from "#/practise/group/api.ts";
import { Round } from "./Round.tsx";

export function FollowScreen({ how }: { how: "follow" | "assess" }) {
  const { code = "", group = "" } = useParams();
  const joined = useSharing(code).data?.joined;
  const round = useFollowed(joined?.room ?? null, Number(group), how);
  return (
    <div className="teach narrow">
      <div className="row spread">
        <h1>{round.data ? `Group ${group}: ${visible(round.data.title)}` : `Group ${group}`}</h1>
        <LinkButton look="quiet" href={`/join/${code}`}>
          <Icon name="back" /> The seats
        </LinkButton>
      </div>
      {how === "assess" && <WarnBar>You read everything here, drafts and reviews too. Keep it to yourself.</WarnBar>}
      {round.isError && <Fault error={round.error} again={() => void round.refetch()} />}
      {!round.data && !round.isError && <Loading />}
      {round.data && !round.isError && <Round round={round.data} />}
    </div>
  );
}
