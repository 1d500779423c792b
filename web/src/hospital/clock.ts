// The playhead: one clock for the picture and the log. The place is reckoned from the time of day whenever it is asked
// for, so that a hidden tab, whose timers sleep, is where it should be when one comes back.

export type Rate = number;

/** Of a choreography, what a clock needs. */
export interface Score {
  end: number;
  sceneAt: (t: number) => number;
  changeAfter: (t: number) => number;
  scene: (index: number) => { t0: number } | null;
}

/** The place at a moment; a new object whenever anything has changed that a screen shows. */
export interface Place {
  t: number;
  scene: number;
  playing: boolean;
  rate: Rate;
  following: boolean;
}

const SHOWN_EVERY_MS = 250;
const HURRY_BEHIND_MS = 8_000;
const JUMP_BEHIND_MS = 60_000;
const HURRIED: Rate = 3;

export class Clock {
  private base: number;
  private since = 0;
  private playing = false;
  private rate: Rate = 1;
  /** A scene that was gone to, shown although others begin at the same time. */
  private pinned: number | null = null;
  /** Whether the newest is followed, and caught up with. */
  private following = false;
  private timer = 0;
  private shown: Place;
  private readonly listeners = new Set<() => void>();

  constructor(
    private score: Score,
    start: number,
    pinned: number | null = null,
  ) {
    this.base = start;
    this.pinned = pinned;
    this.shown = this.place();
  }

  /** The time on the choreography now. */
  now(): number {
    if (!this.playing) return this.base;
    const passed = (performance.now() - this.since) * (this.hurries ? Math.max(this.rate, HURRIED) : this.rate);
    return Math.min(this.score.end, this.base + passed);
  }

  private hurries = false;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): Place => this.shown;

  /** The choreography has grown: what was there stays. */
  grow(score: Score): void {
    this.rebase();
    this.score = score;
    this.tell();
  }

  /** Go to a time, or to a scene. */
  seek(t: number, scene: number | null = null): void {
    this.base = Math.max(0, Math.min(t, this.score.end));
    this.since = performance.now();
    this.pinned = scene;
    this.following = this.hurries = false;
    this.tell();
  }

  toScene(index: number): void {
    const scene = this.score.scene(index);
    if (scene) this.seek(scene.t0, index);
  }

  play(now: boolean): void {
    this.rebase();
    if (now && this.base >= this.score.end && !this.following) this.base = 0;
    this.playing = now;
    if (now) this.pinned = null;
    this.tell();
  }

  speed(rate: Rate): void {
    this.rebase();
    this.rate = rate;
    this.tell();
  }

  /** Follow what is new: play on from here, and catch up. */
  follow(): void {
    this.rebase();
    this.following = this.playing = true;
    this.pinned = null;
    this.tell();
  }

  stop(): void {
    window.clearTimeout(this.timer);
    this.listeners.clear();
  }

  private rebase(): void {
    this.base = this.now();
    this.since = performance.now();
  }

  private place(): Place {
    const t = this.now();
    return { t, scene: this.pinned ?? this.score.sceneAt(t), playing: this.playing, rate: this.rate, following: this.following };
  }

  private readonly tell = (): void => {
    window.clearTimeout(this.timer);
    if (this.following) this.catchUp();
    this.shown = this.place();
    for (const listener of this.listeners) listener();
    if (!this.playing) return;
    const { t } = this.shown;
    if (t >= this.score.end) {
      if (!this.following) {
        this.base = t;
        this.playing = false;
        this.shown = this.place();
        for (const listener of this.listeners) listener();
      }
      return;
    }
    const next = (this.score.changeAfter(t) - t) / this.rate;
    this.timer = window.setTimeout(this.tell, Math.max(4, Math.min(next + 1, SHOWN_EVERY_MS)));
  };

  private catchUp(): void {
    this.rebase();
    const behind = this.score.end - this.base;
    if (behind > JUMP_BEHIND_MS) this.base = this.score.end - HURRY_BEHIND_MS;
    this.hurries = behind > HURRY_BEHIND_MS || (this.hurries && behind > HURRY_BEHIND_MS / 4);
  }
}
