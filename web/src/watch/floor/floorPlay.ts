// Several encounters on one floor as the picture and the clock need them: everybody under a key of their own
// ("3/doctor"), one bubble of each encounter at a time, all from the same beginning.
import type { Score } from "#/hospital/clock.ts";
import type { Instant, Played, Standing, Timeline } from "#/hospital/timeline.ts";
import type { Actor, Bubble, Caption } from "#/hospital/types.ts";
import { together } from "../beside/together.ts";

/** An encounter of the floor, and the title of the room in which it is played. */
export interface Part {
  n: number;
  room: string;
  timeline: Timeline;
}

interface Keyed extends Part {
  bubbles: Map<Bubble, Bubble>;
  captions: Map<Caption, Caption>;
}

/** The encounter of somebody in the picture. */
export const encounterOf = (who: string) => Number(who.split("/")[0]);

/** With `many` encounters names and captions say which one they are of. */
export function floorPlay(parts: Part[], many: boolean): Played & Score {
  const score = together(parts.map(({ timeline }) => timeline));
  const keyed = parts.map((part) => withKeys(part, many));
  const actors: [string, Actor][] = parts.flatMap(({ n, timeline }) =>
    Object.entries(timeline.made.actors).map(([who, actor]): [string, Actor] => [key(n, who), many ? { ...actor, name: `${actor.name} (${n})` } : actor]),
  );
  return {
    ...score,
    made: { actors: Object.fromEntries(actors), cards: [] },
    movesAt: (t) => parts.some(({ timeline }) => timeline.movesAt(t)),
    at: (t, cuts) => merged(keyed, t, score.sceneAt(t), cuts),
    scene: () => null,
  };
}

const key = (n: number, who: string) => `${n}/${who}`;

/** The words are made once, so that what is shown already is known again. */
function withKeys(part: Part, many: boolean): Keyed {
  const { bubbles, captions } = part.timeline.made;
  const captioned = (one: Caption) => ({ ...one, id: key(part.n, one.id), text: many ? `${part.room}: ${one.text}` : one.text });
  return {
    ...part,
    bubbles: new Map(bubbles.map((one) => [one, { ...one, who: key(part.n, one.who) }])),
    captions: new Map(captions.map((one) => [one, captioned(one)])),
  };
}

function merged(parts: Keyed[], t: number, scene: number, cuts: boolean | undefined): Instant {
  const found: Instant = {
    t,
    minute: 0,
    scene,
    people: new Map<string, Standing>(),
    bubble: null,
    bubbles: [],
    captions: [],
    slips: [],
    cards: 0,
    locks: 0,
    monitor: null,
    monitorBefore: null,
    lit: [],
  };
  for (const { n, timeline, bubbles, captions } of parts) {
    const one = timeline.at(t, cuts);
    for (const [who, standing] of one.people) found.people.set(key(n, who), standing);
    found.bubbles.push(...one.bubbles.map((bubble) => bubbles.get(bubble)!));
    found.captions.push(...one.captions.map((caption) => captions.get(caption)!));
    found.lit.push(...one.lit.map((who) => key(n, who)));
  }
  return found;
}
