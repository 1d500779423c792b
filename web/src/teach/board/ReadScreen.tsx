// One encounter for the teacher's own eyes.
import { Encounter } from "./Encounter.tsx";

export default function ReadScreen() {
  return <Encounter how="read" />;
}
