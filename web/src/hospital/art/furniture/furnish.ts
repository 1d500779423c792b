// The furniture of each kind of room.
import { control, simulation, ward } from "./bays.ts";
import { consulting, examination } from "./clinic.ts";
import { imaging, laboratory } from "./diagnostics.ts";
import { corridor, plain, reception, waiting } from "./front.ts";
import type { Kit } from "./kit.ts";
import { seminar, staff } from "./rooms.ts";

const KINDS: Record<string, (kit: Kit) => void> = {
  home: () => undefined,
  reception,
  waiting,
  examination,
  consulting,
  imaging,
  laboratory,
  corridor,
  ward,
  simulation,
  control,
  staff,
  seminar,
};

export function furnish(kit: Kit): void {
  (Object.hasOwn(KINDS, kit.room.kind) ? KINDS[kit.room.kind]! : plain)(kit);
}
