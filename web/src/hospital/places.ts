// Which room a tile belongs to.
import type { HospitalPlan, PlanRoom } from "./art/contract.ts";

/** The room of a tile of a plan, `null` outside of all. */
export function roomAt(plan: HospitalPlan): (x: number, y: number) => PlanRoom | null {
  const [width, height] = plan.size;
  const rooms = new Array<PlanRoom | null>(width * height).fill(null);
  for (const room of plan.rooms) {
    const [x0, y0, x1, y1] = room.area;
    for (let y = y0; y <= y1; y += 1) rooms.fill(room, y * width + x0, y * width + x1 + 1);
  }
  return (x, y) => (x >= 0 && y >= 0 && x < width && y < height ? (rooms[y * width + x] ?? null) : null);
}
