// One bubble over the picture: its words are set as text, and it stands beside its speaker.
import { visible } from "#/design/text.ts";
import { placed, shortened, type Placed } from "./bubbles.ts";
import type { Box, Size } from "./camera.ts";
import { element } from "./element.ts";
import type { Bubble } from "./types.ts";

/** Somebody on the screen: the whole box and the face, in pixels of the picture. */
export interface Seen {
  who: string;
  name: string;
  box: Box;
  face: Box;
  feet: { x: number; y: number };
  lit: boolean;
}

/** A bubble, whose it is, whom they speak with, and what stands beside the speaker's name. */
export interface Spoken {
  bubble: Bubble;
  speaker: Seen;
  partner: Seen | null;
  label: string;
}

/** Words that are looked at by others before they are said. */
const DRAFT = "draft";
const KINDS: Partial<Record<Bubble["kind"], string>> = { thought: "thought, not said", does: "does" };
/** The most letters of a bubble, and its width in pixels: in a wide picture and in a narrow one. */
const LENGTHS = { usual: [170, 90], short: [56, 34] } as const;
const WIDTHS = { usual: [340, 340], short: [210, 150] } as const;

export class Balloon {
  private readonly box = element("div", "h-bubble");
  private said: Bubble | null = null;
  private short = false;
  private measured: Size = { width: 0, height: 0 };

  constructor(host: HTMLElement) {
    host.append(this.box);
  }

  /** Words that are shown again are measured again. */
  forget(): void {
    this.said = null;
  }

  hide(): void {
    this.box.hidden = true;
    this.said = null;
  }

  /** Stand beside the speaker, off the `faces`; where it lies now. */
  show(spoken: Spoken, faces: Box[], frame: Box, short: boolean): Box {
    if (spoken.bubble !== this.said || short !== this.short) {
      this.said = spoken.bubble;
      this.short = short;
      this.fill(spoken, frame);
    }
    const { measured } = this;
    const at = placed(measured, spoken.speaker.face, spoken.partner?.face ?? null, faces, frame);
    this.put(at, measured);
    return { x: at.x, y: at.y, ...measured };
  }

  private fill({ bubble, speaker, label }: Spoken, frame: Box): void {
    const { short, box } = this;
    const kind = short ? "short" : "usual";
    const narrow = frame.width < 460 ? 1 : 0;
    const [said, cut] = shortened(visible(bubble.text), LENGTHS[kind][narrow]);
    const head = element("span", "h-speaker");
    const manner = label === DRAFT ? "not said yet" : KINDS[bubble.kind];
    const how = manner ?? (bubble.private && !bubble.to && !label ? "not heard by all" : "");
    head.textContent = [speaker.name, bubble.to && `to ${visible(bubble.to)}`, label, how].filter(Boolean).join(" · ");
    const words = element("span", "h-words");
    words.textContent = said;
    box.replaceChildren(head, words);
    if (cut) {
      const more = element("span", "h-more");
      more.textContent = short ? "…" : "… more in the log";
      box.append(" ", more);
    }
    box.className = `h-bubble ${bubble.kind} ${bubble.private ? "private" : ""} ${short ? "short" : ""}`;
    box.style.maxWidth = `${Math.round(Math.min(WIDTHS[kind][narrow], frame.width * 0.8))}px`;
    box.hidden = false;
    this.measured = { width: box.offsetWidth, height: box.offsetHeight };
  }

  private put({ x, y, side, tail }: Placed, size: Size): void {
    const { style, dataset } = this.box;
    style.transform = `translate(${x}px, ${y}px)`;
    dataset.side = side;
    const along = side === "above" || side === "below";
    style.setProperty("--tail-x", `${along ? tail : side === "left" ? size.width : 0}px`);
    style.setProperty("--tail-y", `${along ? (side === "above" ? size.height : 0) : tail}px`);
  }
}
