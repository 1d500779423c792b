// Two choreographies on one clock. As long as all was the same both are the same, so the moment at which they part is read
// off them; from then on each goes on at its own pace.
import type { Score } from "#/hospital/clock.ts";
import type { Timeline } from "#/hospital/timeline.ts";
import type { Scene } from "#/hospital/types.ts";

/** The index of the first scene that differs: who does what, when and where. `null` if they never part. */
export function partingOf(a: Timeline, b: Timeline): number | null {
  const count = Math.max(a.made.scenes.length, b.made.scenes.length);
  for (let k = 0; k < count; k += 1) if (!same(a.scene(k), b.scene(k))) return k;
  return null;
}

function same(one: Scene | null, other: Scene | null): boolean {
  if (!one || !other) return false;
  return one.what === other.what && one.t0 === other.t0 && one.t1 === other.t1 && one.minute === other.minute && one.where === other.where;
}

/** When they part: as the first scene that differs begins. */
export function partedAt(a: Timeline, b: Timeline, parting: number | null): number | null {
  if (parting === null) return null;
  return (a.scene(parting) ?? b.scene(parting))?.t0 ?? null;
}

/** What a clock needs of several. */
export function together(given: Timeline[]): Score {
  const end = Math.max(0, ...given.map((one) => one.end));
  return {
    end,
    // The scenes of all, so that whatever begins in one of them is shown at once.
    sceneAt: (t) => given.reduce((sum, one) => sum + one.sceneAt(t), 0),
    changeAfter: (t) => Math.min(end, ...given.filter((one) => t < one.end).map((one) => one.changeAfter(t))),
    scene: () => null,
  };
}
