// What lies over the painted picture as elements: people's names, bubbles, captions, and cards that fly. All words are
// set as text. Nothing here is the only copy of anything: the log beside the picture has it all.
import { capital, visible } from "#/design/text.ts";
import { Balloon, type Seen, type Spoken } from "./balloon.ts";
import { overlap, shortened } from "./bubbles.ts";
import type { Box, Size } from "./camera.ts";
import { element } from "./element.ts";
import type { Caption } from "./types.ts";

export interface Words {
  /** What is said at once: by one, or by one of each encounter of a floor. */
  spoken: Spoken[];
  captions: Caption[];
  /** Whether bubbles are small, as where all rooms are seen. */
  short: boolean;
  /** What lies over the picture already, such as the monitor. */
  kept: Box[];
}

/** How far a name may stand from under the feet. */
const ASIDE = [0, -18, 18];
const CAPTIONS: Record<Caption["kind"], string> = {
  notice: "Notice",
  time: "Time passes",
  sign: "Sign",
  seen: "Seen",
  happens: "It happens",
  end: "The end",
  form: "Form",
  note: "Note",
};

export class Overlay {
  private readonly people = new Map<string, { button: HTMLButtonElement; tag: HTMLSpanElement; width: number }>();
  private readonly balloons: Balloon[] = [];
  private readonly captions = element("div", "h-captions");
  private captioned = "";
  private size: Size = { width: 0, height: 0 };

  constructor(
    private readonly host: HTMLElement,
    private readonly onPerson: (who: string) => void,
  ) {
    host.append(this.captions);
  }

  resize(size: Size): void {
    this.size = size;
    this.measure();
  }

  /** Measure all words again, as when their font has come. */
  measure(): void {
    for (const one of this.balloons) one.forget();
    for (const one of this.people.values()) if (!one.button.hidden) one.width = one.tag.offsetWidth;
  }

  show(seen: Seen[], words: Words, frame: Box): void {
    this.caption(words);
    this.name(seen, words.spoken, [...words.kept, ...this.speak(seen, words, frame)]);
  }

  /** A card goes from a place in the picture to a corner of it, where the notebook is. */
  fly(title: string, from: { x: number; y: number }): void {
    const card = element("div", "h-card");
    card.textContent = shortened(visible(title), 28)[0];
    this.host.append(card);
    const at = (x: number, y: number, scale: number) => `translate(${Math.round(x)}px, ${Math.round(y)}px) scale(${scale})`;
    const to = { x: this.size.width - 60, y: this.size.height - 30 };
    const flight = card.animate(
      [
        { transform: at(from.x - 50, from.y - 30, 0.7), opacity: 0 },
        { transform: at(from.x - 50, from.y - 60, 1), opacity: 1, offset: 0.25 },
        { transform: at(to.x, to.y, 0.45), opacity: 0.2 },
      ],
      { duration: 900, easing: "ease-in-out" },
    );
    flight.onfinish = flight.oncancel = () => card.remove();
  }

  remove(): void {
    this.host.replaceChildren();
  }

  private caption({ captions, short: isShort }: Words): void {
    const key = `${isShort} ${captions.map(({ id, t0 }) => `${id} ${t0}`).join()}`;
    if (key === this.captioned) return;
    this.captioned = key;
    this.captions.replaceChildren(
      ...captions.map(({ kind, text }) => {
        const line = element("p", `h-caption ${kind}`);
        const label = element("b", "");
        label.textContent = CAPTIONS[kind];
        const [short, cut] = shortened(visible(text), isShort ? 90 : 170);
        line.append(label, ` ${short}${cut ? " … more in the log" : ""}`);
        return line;
      }),
    );
  }

  /** The bubbles, each off the faces and off those before it; their boxes. */
  private speak(seen: Seen[], { spoken, short, kept }: Words, frame: Box): Box[] {
    const taken: Box[] = [];
    while (this.balloons.length < spoken.length) this.balloons.push(new Balloon(this.host));
    this.balloons.forEach((balloon, k) => {
      const one = spoken[k];
      if (!one) return balloon.hide();
      const others = seen.filter(({ who }) => who !== one.speaker.who && who !== one.partner?.who).map(({ face }) => face);
      taken.push(balloon.show(one, [...others, ...kept, ...taken], frame, short));
    });
    return taken;
  }

  /**
   * Names stand under the feet, a little aside if need be, else over the head; those that would lie over another, a face
   * or what is `kept` in all these places are not shown.
   */
  private name(seen: Seen[], spoken: Spoken[], kept: Box[]): void {
    const taken = [...kept];
    const speakers = new Set(spoken.map(({ speaker }) => speaker.who));
    const faces = seen.map(({ face }) => face);
    const rank = (one: Seen) => (speakers.has(one.who) ? 0 : one.lit ? 1 : 2);
    for (const one of seen.toSorted((a, b) => rank(a) - rank(b) || a.who.localeCompare(b.who))) {
      const { button, tag, width } = this.button(one);
      place(button, one.box);
      const lanes = [...ASIDE.map((dx) => [dx, one.feet.y + 3]), [0, one.box.y - 19]].map(
        ([dx, y]): Box => ({ x: one.feet.x - width / 2 + dx!, y: y!, width, height: 18 }),
      );
      // Over a head that cannot be seen, a name would be taken for somebody else's.
      if (kept.some((other) => overlap(other, one.face) > 0.4 * one.face.width * one.face.height)) lanes.pop();
      const free = (lane: Box) => !taken.some((other) => overlap(lane, other)) && !faces.some((face) => face !== one.face && overlap(lane, face) > 30);
      const inside = (lane: Box) => lane.x >= 0 && lane.x + width <= this.size.width && lane.y >= 0 && lane.y + 18 <= this.size.height;
      const lane = lanes.find((each) => free(each) && inside(each));
      tag.classList.toggle("off", !lane);
      const { x, y } = lane ?? lanes[0]!;
      tag.style.transform = `translate(${Math.round(x - one.box.x)}px, ${Math.round(y - one.box.y)}px)`;
      if (lane) taken.push(lane);
      button.hidden = false;
    }
    const here = new Set(seen.map(({ who }) => who));
    for (const [who, { button }] of this.people) if (!here.has(who)) button.hidden = true;
  }

  private button({ who, name }: Seen): { button: HTMLButtonElement; tag: HTMLSpanElement; width: number } {
    const found = this.people.get(who);
    if (found && found.tag.textContent === name) return found;
    found?.button.remove();
    const button = element("button", "h-person");
    button.type = "button";
    button.tabIndex = -1;
    button.dataset.who = who;
    button.addEventListener("click", () => this.onPerson(who));
    const tag = element("span", "h-name");
    tag.textContent = name;
    button.append(tag);
    this.host.prepend(button);
    const made = { button, tag, width: tag.offsetWidth };
    this.people.set(who, made);
    return made;
  }
}

/** The name of an actor as it is shown. */
export const named = (name: string) => capital(visible(name.replaceAll("_", " ")));

function place(button: HTMLElement, { x, y, width, height }: Box): void {
  button.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  button.style.width = `${Math.round(width)}px`;
  button.style.height = `${Math.round(height)}px`;
}
