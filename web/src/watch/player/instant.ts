// An instant in the address: the id of a scene, and how long it has played: "12.3-450".
import { compareIds } from "#/hospital/search.ts";
import type { Timeline } from "#/hospital/timeline.ts";

export interface At {
  t: number;
  /** The scene itself, where others begin at the same time. */
  scene: number;
}

export function written(timeline: Timeline, t: number, scene: number): string {
  const found = timeline.scene(scene);
  if (!found) return "";
  const past = Math.max(0, Math.round(t - found.t0));
  return past ? `${found.id}-${past}` : found.id;
}

/** The instant of an address; a scene that this view does not have becomes the last one before it. */
export function read(timeline: Timeline, text: string): At {
  const [id = "", past = ""] = text.split("-");
  const scene = Math.max(0, timeline.made.scenes.findLastIndex((one) => compareIds(one.id, id) <= 0));
  const found = timeline.scene(scene);
  if (!found) return { t: 0, scene };
  const after = found.id === id ? Math.max(0, Number(past) || 0) : 0;
  return { t: Math.min(found.t0 + after, timeline.end), scene };
}
