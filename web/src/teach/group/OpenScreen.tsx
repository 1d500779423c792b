// What is said openly in a group's round, for learners who follow it.
import { FollowScreen } from "./FollowScreen.tsx";

export default function OpenScreen() {
  return <FollowScreen how="follow" />;
}
