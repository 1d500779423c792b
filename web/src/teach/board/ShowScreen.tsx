// One encounter, large, for a class to look at together.
import { Encounter } from "./Encounter.tsx";

export default function ShowScreen() {
  return <Encounter how="show" />;
}
