// The properties of every room in which a person sits.
import type { Sitting } from "./useSitting.ts";

export interface RoomProps {
  sitting: Sitting;
  /** Opens the window for leaving, with the code to go on elsewhere. */
  leave: () => void;
}
