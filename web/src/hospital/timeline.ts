// The picture at one instant of a choreography: a pure function of the time, by bisection, so that an instant costs the
// same in a short and in a long episode. It follows `osler.choreography.instant`.
import type { Facing, HospitalPlan, PlanRoom } from "./art/contract.ts";
import { roomAt } from "./places.ts";
import { countUpTo } from "./search.ts";
import type { Actor, Bubble, Caption, Card, Choreography, Monitor, Scene, Slip } from "./types.ts";

/** Where somebody is, in tiles, and how they hold themselves. `step` counts 1 to 8 by distance while they walk. */
export interface Standing {
  x: number;
  y: number;
  pose: "stand" | "sit" | "lie";
  /** Distress that shows in posture. */
  strain: 0 | 1 | 2;
  slot: string;
  room: PlanRoom | null;
  step: number;
  facing: Facing | null;
}

export interface Instant {
  t: number;
  minute: number;
  /** The index of the scene that plays, -1 before the first. */
  scene: number;
  /** Everybody who is drawn, by actor. */
  people: Map<string, Standing>;
  bubble: Bubble | null;
  /** All that are said at once: where several encounters are seen, one of each. */
  bubbles: Bubble[];
  captions: Caption[];
  slips: Slip[];
  /** How many cards were earned, and how many locks are open. */
  cards: number;
  locks: number;
  monitor: Monitor | null;
  monitorBefore: Monitor | null;
  /** Who hears the present line, its speaker left out. */
  lit: string[];
}

/** Of a choreography, or of several on one floor, what the picture needs. */
export interface Played {
  made: { actors: Record<string, Actor>; cards: Card[] };
  at: (t: number, cuts?: boolean) => Instant;
  movesAt: (t: number) => boolean;
  scene: (index: number) => Scene | null;
}

/** Steps of the walk's cycle in one tile. */
const STEPS_A_TILE = 4;

interface Track {
  who: string;
  actor: Actor;
  walks: number[];
  poses: number[];
}

export class Timeline implements Played {
  private readonly tracks: Track[];
  private readonly scenes: number[];
  private readonly bubbles: number[];
  private readonly captions: number[];
  private readonly slips: number[];
  private readonly cards: number[];
  private readonly locks: number[];
  private readonly monitors: number[];
  private readonly changes: number[];
  /** Times of walks, merged: pairs of beginning and end. */
  private readonly moves: { from: number[]; to: number[] };
  private readonly roomOf: (x: number, y: number) => PlanRoom | null;

  constructor(
    readonly made: Choreography,
    plan: HospitalPlan,
  ) {
    this.roomOf = roomAt(plan);
    this.tracks = Object.entries(made.actors).map(([who, actor]) => ({
      who,
      actor,
      walks: actor.walks.map(({ t0 }) => t0),
      poses: actor.poses.map(({ t }) => t),
    }));
    this.scenes = made.scenes.map(({ t0 }) => t0);
    this.bubbles = made.bubbles.map(({ t0 }) => t0);
    this.captions = made.captions.map(({ t0 }) => t0);
    this.slips = made.slips.map(({ t0 }) => t0);
    this.cards = made.cards.map(({ t }) => t);
    this.locks = made.locks.map(({ t }) => t);
    this.monitors = made.monitors.map(({ t }) => t);
    this.moves = merged(this.tracks.flatMap(({ actor }) => actor.walks));
    this.changes = [
      ...new Set([
        ...this.scenes,
        ...[...made.bubbles, ...made.captions].flatMap(({ t0, t1 }) => [t0, t1]),
        ...made.slips.flatMap(({ t0, t1 }) => (t1 === null ? [t0] : [t0, t1])),
        ...this.cards,
        ...this.locks,
        ...this.monitors,
        ...this.tracks.flatMap(({ actor, walks, poses }) => [actor.t0, ...walks, ...poses]),
        made.end,
      ]),
    ].sort((a, b) => a - b);
  }

  get end(): number {
    return this.made.end;
  }

  /** The scene that plays at `t`: the last that has begun. -1 before the first. */
  sceneAt(t: number): number {
    return countUpTo(this.scenes, t) - 1;
  }

  scene(index: number): Scene | null {
    return this.made.scenes[index] ?? null;
  }

  /** The next time after `t` at which anything changes; the end, if nothing does. */
  changeAfter(t: number): number {
    return this.changes[countUpTo(this.changes, t)] ?? this.made.end;
  }

  /** Whether somebody walks at `t`. */
  movesAt(t: number): boolean {
    const k = countUpTo(this.moves.from, t) - 1;
    return k >= 0 && t < this.moves.to[k]!;
  }

  /** The picture at `t`. With `cuts`, who walks is at once where the walk ends. */
  at(t: number, cuts = false): Instant {
    const { made } = this;
    const scene = this.sceneAt(t);
    const people = new Map<string, Standing>();
    for (const track of this.tracks) {
      const found = this.standing(track, t, cuts);
      if (found) people.set(track.who, found);
    }
    const bubble = open(made.bubbles, this.bubbles, t).at(-1) ?? null;
    const heard = bubble && !bubble.private && bubble.kind !== "thought" ? this.hearers(bubble, people) : [];
    this.turn(people, bubble, heard);
    const monitors = countUpTo(this.monitors, t);
    return {
      t,
      minute: made.scenes[scene]?.minute ?? 0,
      scene,
      people,
      bubble,
      bubbles: bubble ? [bubble] : [],
      captions: open(made.captions, this.captions, t),
      slips: made.slips.slice(0, countUpTo(this.slips, t)).filter(({ t1 }) => t1 === null || t < t1),
      cards: countUpTo(this.cards, t),
      locks: countUpTo(this.locks, t),
      monitor: made.monitors[monitors - 1] ?? null,
      monitorBefore: made.monitors[monitors - 2] ?? null,
      lit: heard,
    };
  }

  private standing({ actor, walks, poses }: Track, t: number, cuts: boolean): Standing | null {
    if (actor.t0 > t) return null;
    const walk = actor.walks[countUpTo(walks, t) - 1];
    const since = cuts && walk ? Math.max(t, walk.t1) : t;
    const { pose, slot, strain = 0 } = actor.poses[Math.max(0, countUpTo(poses, since) - 1)]!;
    if (!walk || since >= walk.t1) {
      if (pose === "away") return null;
      const [x, y] = walk ? walk.points.at(-1)! : actor.start;
      return { x, y, pose, slot, strain, room: this.roomOf(x, y), step: 0, facing: null };
    }
    const steps = ((t - walk.t0) / (walk.t1 - walk.t0)) * (walk.points.length - 1);
    const here = Math.floor(steps);
    const [x, y] = walk.points[here]!;
    const [nextX, nextY] = walk.points[here + 1]!;
    const part = steps - here;
    return {
      x: x + (nextX - x) * part,
      y: y + (nextY - y) * part,
      pose: "stand",
      slot: "",
      strain,
      room: this.roomOf(Math.round(x + (nextX - x) * part), Math.round(y + (nextY - y) * part)),
      step: (Math.floor(steps * STEPS_A_TILE) % 8) + 1,
      facing: nextX > x ? "east" : nextX < x ? "west" : nextY > y ? "south" : "north",
    };
  }

  /** Who hears a line: whom it is said to, else everybody in the room. */
  private hearers(bubble: Bubble, people: Map<string, Standing>): string[] {
    const room = people.get(bubble.who)?.room;
    const near = [...people].filter(([who, { room: there }]) => who !== bubble.who && there === room).map(([who]) => who);
    if (!bubble.to) return near;
    const wanted = bubble.to.toLowerCase().replace(/^the /, "");
    const meant = (who: string) => {
      const { name, role } = this.made.actors[who]!;
      return [who, name, role, `${role}s`].some((one) => one.toLowerCase() === wanted);
    };
    return [...people.keys()].filter((who) => who !== bubble.who && meant(who));
  }

  /** People who stand turn to the one they speak with; who sits or lies keeps the side of the seat. */
  private turn(people: Map<string, Standing>, bubble: Bubble | null, heard: string[]): void {
    const speaker = bubble && bubble.kind !== "thought" ? people.get(bubble.who) : undefined;
    if (!speaker) return;
    const others = heard.map((who) => people.get(who)!);
    const partner = others.toSorted((a, b) => distance(a, speaker) - distance(b, speaker))[0];
    if (partner) face(speaker, partner);
    for (const one of others) if (one.room === speaker.room) face(one, speaker);
  }
}

const distance = (a: Standing, b: Standing) => Math.hypot(a.x - b.x, a.y - b.y);

function face(one: Standing, other: Standing): void {
  if (one.step || one.pose !== "stand") return;
  const [dx, dy] = [other.x - one.x, other.y - one.y];
  // North shows the back of a head, so a partner who is mostly to the side is faced sideways.
  one.facing = Math.abs(dx) >= Math.abs(dy) * 0.6 ? (dx > 0 ? "east" : "west") : dy > 0 ? "south" : "north";
}

/** Those that have begun and not ended; they follow each other, so none lies far before the last. */
function open<T extends { t0: number; t1: number }>(given: T[], starts: number[], t: number): T[] {
  const at = countUpTo(starts, t);
  return given.slice(Math.max(0, at - 4), at).filter(({ t0, t1 }) => t0 <= t && t < t1);
}

function merged(spans: { t0: number; t1: number }[]): { from: number[]; to: number[] } {
  const from: number[] = [];
  const to: number[] = [];
  for (const { t0, t1 } of spans.toSorted((a, b) => a.t0 - b.t0)) {
    if (to.length && t0 <= to.at(-1)!) to[to.length - 1] = Math.max(to.at(-1)!, t1);
    else {
      from.push(t0);
      to.push(t1);
    }
  }
  return { from, to };
}
