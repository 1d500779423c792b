// Everything in a group's round, for a learner who assesses.
import { FollowScreen } from "./FollowScreen.tsx";

export default function AssessorScreen() {
  return <FollowScreen how="assess" />;
}
