// The picture: a canvas and what lies over it, following a clock. It paints a frame only while something moves: somebody
// walks, or the camera glides.
import "./hospital.css";
import type { Art, Facing, HospitalPlan, MakeArt, PlanRoom, Theme } from "./art/contract.ts";
import type { Seen, Spoken } from "./balloon.ts";
import { overlap } from "./bubbles.ts";
import { around, Camera, framing, seenBox, shows, within, type Box, type Inset, type Size, type View } from "./camera.ts";
import type { Clock } from "./clock.ts";
import { drags } from "./drag.ts";
import { named, Overlay } from "./overlay.ts";
import { roomAt } from "./places.ts";
import { Stage, type Figure } from "./stage.ts";
import type { Instant, Played, Standing } from "./timeline.ts";
import type { Bubble } from "./types.ts";

/** What the camera shows: who acts, everything, a room ("room:ward"), a person ("who:doctor"), or where it was left. */
export type Aim = "follow" | "whole" | "free" | `room:${string}` | `who:${string}`;

export interface PictureOptions {
  plan: HospitalPlan;
  makeArt: MakeArt;
  theme: Theme;
  clock: Clock;
  /** Walks are cuts, and the camera jumps. */
  calm: boolean;
  aim: Aim;
  onAim: (aim: Aim) => void;
  onPerson: (who: string, box: Box) => void;
  /** Somebody pressed the floor of a room. */
  onRoom?: ((room: PlanRoom) => void) | undefined;
  /** What stands beside the speaker's name in a bubble, such as "draft"; often nothing. */
  labelOf: (bubble: Bubble) => string;
}

const GROUND = { light: "#eef4ef", dark: "#0b1621" };
/** The height of the camera's buttons, under which no bubble goes. */
const BUTTONS = 58;
/** Half the width of somebody upright, in world pixels. */
const UPRIGHT = 21;
/** Of somebody lying: half the length, the way from the middle to the head, and the height of the bed. */
const [LYING, PILLOW, BED] = [40, 45, 17];
const NEAR = { wide: 2.1, narrow: 1.5 };

export class Picture {
  private readonly canvas = document.createElement("canvas");
  private readonly over = document.createElement("div");
  private readonly overlay: Overlay;
  private readonly stage: Stage;
  private art: Art;
  private camera: Camera | null = null;
  private aim: Aim;
  private size: Size = { width: 0, height: 0 };
  private frame = 0;
  private timeline: Played | null = null;
  private last: { scene: number; cards: number; seen: Seen[] } = { scene: -2, cards: Number.NaN, seen: [] };
  private kept: Box[] = [];
  private readonly undo: (() => void)[] = [];
  private readonly roomAt: (x: number, y: number) => PlanRoom | null;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: PictureOptions,
  ) {
    this.aim = options.aim;
    this.roomAt = roomAt(options.plan);
    this.art = options.makeArt(options.plan, options.theme);
    this.canvas.setAttribute("aria-hidden", "true");
    this.over.setAttribute("aria-hidden", "true");
    this.over.className = "h-over";
    host.replaceChildren(this.canvas, this.over);
    this.overlay = new Overlay(this.over, (who) => {
      const found = this.last.seen.find((one) => one.who === who);
      if (found) options.onPerson(who, found.box);
    });
    this.stage = new Stage(this.canvas, this.art);
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(host);
    this.undo.push(
      () => observer.disconnect(),
      options.clock.subscribe(() => this.wake()),
      listening(this.over, "click", (event) => this.press(event as MouseEvent)),
      listening(document.fonts, "loadingdone", () => {
        this.overlay.measure();
        this.wake();
      }),
      drags(this.over, { move: (dx, dy) => this.drag(dx, dy), zoom: (by, x, y) => this.zoom(by, { x, y }) }),
    );
    this.resize();
    // The rooms' titles are painted in the page's font: once more, when it has come.
    void document.fonts.load('800 16px "Nunito"').then(() => {
      this.stage.dress(this.art);
      this.wake();
    });
  }

  /** Show another choreography, or the same one grown. */
  load(timeline: Played): void {
    this.timeline = timeline;
    this.wake();
  }

  dress(theme: Theme): void {
    if (theme === this.art.theme) return;
    this.art = this.options.makeArt(this.options.plan, theme);
    this.stage.dress(this.art);
    this.wake();
  }

  aimAt(aim: Aim): void {
    if (aim === this.aim) return;
    this.aim = aim;
    this.last.scene = -2;
    this.wake();
  }

  /** Say what lies over the picture, so that no words go under it. */
  keepOff(boxes: Box[]): void {
    if (JSON.stringify(boxes) === JSON.stringify(this.kept)) return;
    this.kept = boxes;
    this.wake();
  }

  /** Make it larger or smaller around a point; the person is in charge from then on. */
  zoom(by: number, about: { x: number; y: number } = { x: this.size.width / 2, y: this.size.height / 2 }): void {
    if (!this.camera) return;
    const now = this.camera.at(performance.now());
    const zoom = Math.min(4, now.zoom * by);
    const [dx, dy] = [about.x - this.size.width / 2, about.y - this.size.height / 2];
    this.take({ x: now.x + dx / now.zoom - dx / zoom, y: now.y + dy / now.zoom - dy / zoom, zoom });
  }

  drag(dx: number, dy: number): void {
    if (!this.camera) return;
    const now = this.camera.at(performance.now());
    this.take({ x: now.x - dx / now.zoom, y: now.y - dy / now.zoom, zoom: now.zoom });
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    for (const each of this.undo) each();
    this.timeline = null;
    this.overlay.remove();
    this.host.replaceChildren();
  }

  private press(event: MouseEvent): void {
    if (event.target !== this.over || !this.camera || !this.options.onRoom) return;
    const view = this.camera.at(performance.now());
    const [seen, box] = [seenBox(view, this.size), this.host.getBoundingClientRect()];
    const [x, y] = [seen.x + (event.clientX - box.left) / view.zoom, seen.y + (event.clientY - box.top) / view.zoom];
    const room = this.options.plan.rooms.find((one) => overlap(this.art.frame(one), { x, y, width: 1, height: 1 }));
    if (room) this.options.onRoom(room);
  }

  private take(view: View): void {
    this.camera!.go(within(view, this.size, this.art.size), performance.now(), true);
    if (this.aim !== "free") {
      this.aim = "free";
      this.options.onAim("free");
    }
    this.wake();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.stage.resize(this.size, window.devicePixelRatio || 1);
    this.overlay.resize(this.size);
    this.camera = null;
    this.last.scene = -2;
    this.paint();
  }

  private wake(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { timeline, options, art } = this;
    if (!timeline || !this.size.width) return;
    const t = options.clock.now();
    const instant = timeline.at(t, options.calm);
    const now = performance.now();
    this.direct(instant, now);
    const camera = this.camera!;
    const glides = camera.glides(now);
    const view = camera.at(now);
    const figures = [...instant.people].map(([who, one]) => this.figure(who, one, instant));
    this.stage.paint(figures, view, glides, GROUND[art.theme]);
    this.write(instant, view);
    if (glides || (options.clock.snapshot().playing && !options.calm && timeline.movesAt(t))) this.wake();
  }

  private figure(who: string, one: Standing, instant: Instant): Figure {
    const [x, y] = this.art.spot(one.x, one.y);
    const facing = this.facing(one);
    const looks = this.timeline!.made.actors[who]!.figure;
    return { who, looks, bearing: { pose: one.pose, facing, step: one.step, strain: one.strain }, x, y, lit: instant.lit.includes(who) };
  }

  private facing({ facing, room, slot }: Standing): Facing {
    return facing ?? (room ? this.art.facing(room, slot) : "south");
  }

  // The camera

  private get inset(): Inset {
    const narrow = this.size.width < 520;
    return narrow ? { top: 84, side: 8, bottom: 24 } : { top: 96, side: 28, bottom: 34 };
  }

  private direct(instant: Instant, now: number): void {
    const scene = instant.scene;
    if (this.camera && (this.aim === "free" || (scene === this.last.scene && !this.aim.startsWith("who:")))) return;
    const wanted = this.wanted(instant);
    this.last.scene = scene;
    if (!this.camera) this.camera = new Camera(wanted?.view ?? this.whole());
    else if (wanted && !(wanted.lazy && shows(this.camera.aim, this.size, wanted.box, wanted.view))) this.camera.go(wanted.view, now, this.options.calm);
  }

  private whole(): View {
    const { width, height } = this.art.size;
    return within(framing({ x: 0, y: 0, width, height }, this.size, { top: 0, side: 0, bottom: 0 }), this.size, this.art.size);
  }

  /** The view that is aimed at. A `lazy` one need not be gone to, if its box is well in sight. */
  private wanted(instant: Instant): { view: View; box: Box; lazy: boolean } | null {
    const { aim, art } = this;
    const whole = { x: 0, y: 0, width: art.size.width, height: art.size.height };
    if (aim === "whole") return { view: this.whole(), box: whole, lazy: false };
    if (aim.startsWith("room:")) {
      const room = this.options.plan.rooms.find(({ name }) => name === aim.slice(5));
      return room ? this.framed([art.frame(room)], false) : null;
    }
    if (aim.startsWith("who:")) {
      const one = instant.people.get(aim.slice(4));
      return one ? this.framed([one.step || !one.room ? this.about(one) : art.frame(one.room)], true) : null;
    }
    const rooms = new Set<PlanRoom>();
    const { who: actors, scene } = this.actors(instant);
    for (const who of actors) for (const room of this.roomsOf(who, instant, scene)) rooms.add(room);
    return rooms.size ? this.framed([...rooms].map((room) => art.frame(room)), true) : null;
  }

  private framed(boxes: Box[], lazy: boolean): { view: View; box: Box; lazy: boolean } {
    const box = around(boxes);
    const nearest = this.size.width < 520 ? NEAR.narrow : NEAR.wide;
    const view = within(framing(box, this.size, this.inset, nearest), this.size, this.art.size);
    return { view, box, lazy };
  }

  private about(one: Standing): Box {
    const [x, y] = this.art.spot(one.x, one.y);
    return { x: x - 110, y: y - 120, width: 220, height: 200 };
  }

  /** Who acts; where nobody does, who acted last. */
  private actors(instant: Instant): { who: string[]; scene: number } {
    if (instant.bubble) return { who: [...new Set([instant.bubble.who, ...instant.lit])], scene: instant.scene };
    for (let scene = instant.scene; scene >= 0; scene -= 1) {
      const who = this.timeline!.scene(scene)?.who ?? [];
      if (who.length) return { who, scene };
    }
    return { who: [], scene: instant.scene };
  }

  /** The rooms between which somebody walks in this scene, else the one they are in; ways and the home are not framed. */
  private roomsOf(who: string, instant: Instant, index: number): PlanRoom[] {
    const scene = this.timeline!.scene(index)!;
    const walks = index === instant.scene ? (this.timeline!.made.actors[who]?.walks ?? []).filter(({ t0 }) => t0 >= scene.t0 && t0 < scene.t1) : [];
    const ends = walks.flatMap(({ points }) => [points[0]!, points.at(-1)!]).map(([x, y]) => this.roomAt(x, y));
    const rooms = walks.length ? ends : [instant.people.get(who)?.room ?? null];
    return rooms.filter((room) => room !== null && room.kind !== "home" && room.kind !== "corridor") as PlanRoom[];
  }

  // What lies over it

  private write(instant: Instant, view: View): void {
    const seenWorld = seenBox(view, this.size);
    const at = (x: number, y: number) => ({ x: (x - seenWorld.x) * view.zoom, y: (y - seenWorld.y) * view.zoom });
    const seen: Seen[] = [];
    for (const [who, one] of instant.people) {
      const found = this.seen(who, one, at, view.zoom, instant.lit.includes(who));
      if (found.box.x < this.size.width && found.box.x + found.box.width > 0 && found.box.y < this.size.height && found.box.y + found.box.height > 0) seen.push(found);
    }
    const find = (who: string | undefined) => seen.find((one) => one.who === who) ?? null;
    const only = this.aim.startsWith("room:") ? this.aim.slice(5) : "";
    const lit = instant.lit.map(find);
    const spoken: Spoken[] = [];
    for (const bubble of instant.bubbles) {
      const speaker = find(bubble.who);
      if (!speaker || (only && instant.people.get(bubble.who)?.room?.name !== only)) continue;
      spoken.push({ bubble, speaker, partner: nearest(speaker, lit), label: this.options.labelOf(bubble) });
    }
    const frame = { x: 6, y: BUTTONS, width: this.size.width - 12, height: this.size.height - BUTTONS - 6 };
    const captions = only ? instant.captions.filter(({ room }) => room === only) : instant.captions;
    this.overlay.show(seen, { spoken, captions, short: this.aim === "whole", kept: this.kept }, frame);
    this.fly(instant, seen, at);
    this.last.seen = seen;
  }

  private seen(who: string, one: Standing, at: (x: number, y: number) => { x: number; y: number }, zoom: number, lit: boolean): Seen {
    const { personBox: box } = this.art;
    const [worldX, worldY] = this.art.spot(one.x, one.y);
    const feet = at(worldX, worldY);
    const side = this.facing(one);
    const part = (x: number, y: number, width: number, height: number): Box => ({ x: feet.x + x * zoom, y: feet.y + y * zoom, width: width * zoom, height: height * zoom });
    const lies = one.pose === "lie";
    const whole = lies ? part(-LYING, -2 * LYING, 2 * LYING, 2.2 * LYING) : part(-UPRIGHT, box.y, 2 * UPRIGHT, -box.y);
    // Who lies has the head towards the north, on beds across towards a side.
    const [headX, headY] = side === "east" ? [-PILLOW, 0] : side === "west" ? [PILLOW, 0] : [0, -PILLOW];
    const face = lies ? part(headX - 16, headY - BED - 18, 32, 34) : { ...whole, height: whole.height * 0.52 };
    const name = this.timeline!.made.actors[who]!.name;
    return { who, name: named(name), box: whole, face, feet, lit };
  }

  private fly(instant: Instant, seen: Seen[], at: (x: number, y: number) => { x: number; y: number }): void {
    const before = this.last.cards;
    this.last.cards = instant.cards;
    if (instant.cards !== before + 1 || this.options.calm || !this.options.clock.snapshot().playing) return;
    const card = this.timeline!.made.cards[instant.cards - 1]!;
    const who = instant.bubble?.who ?? "patient";
    const from = seen.find((one) => one.who === who)?.feet ?? at(this.art.size.width / 2, this.art.size.height / 2);
    this.overlay.fly(card.title, { x: Math.min(Math.max(from.x, 60), this.size.width - 60), y: Math.min(Math.max(from.y - 40, 40), this.size.height - 20) });
  }
}

function listening(target: EventTarget, name: string, heard: (event: Event) => void): () => void {
  target.addEventListener(name, heard);
  return () => target.removeEventListener(name, heard);
}

function nearest(speaker: Seen, others: (Seen | null)[]): Seen | null {
  const away = (one: Seen) => Math.hypot(one.feet.x - speaker.feet.x, one.feet.y - speaker.feet.y);
  return others.filter((one): one is Seen => one !== null).toSorted((a, b) => away(a) - away(b))[0] ?? null;
}
