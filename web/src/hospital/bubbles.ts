// Where a bubble goes: near its speaker, on nobody's face, inside the picture.
import type { Box, Size } from "./camera.ts";

export type Side = "above" | "below" | "left" | "right";

export interface Placed {
  x: number;
  y: number;
  side: Side;
  /** Where on the side next to the speaker the tail stands, from the bubble's corner. */
  tail: number;
}

const GAP = 12;
const TAIL_INSET = 18;
const TAIL = 14;
/** How much further off a bubble may stand, where it would else lie over somebody. */
const FURTHER = [0, 30, 60, 100, 150, 210];

/**
 * The best place of a bubble. `speaker` is the speaker's face, `partner` that of whom they speak with, `faces` are all
 * others, and what else nothing may lie over; `frame` is what of the picture may be used.
 */
export function placed(size: Size, speaker: Box, partner: Box | null, faces: Box[], frame: Box): Placed {
  const middle = speaker.x + speaker.width / 2;
  const away = partner && partner.x + partner.width / 2 > middle ? -1 : 1;
  // Above first, leaning away from the partner; then beside, then below.
  const leans = partner ? [0.5 + away * 0.22, 0.5, 0.5 - away * 0.22, 0.5 + away * 0.42, 0.5 - away * 0.42] : [0.5, 0.3, 0.7, 0.08, 0.92];
  const tries = (off: number): [number, number, Side][] => [
    ...leans.map((lean): [number, number, Side] => [middle - size.width * (1 - lean), speaker.y - GAP - size.height - off, "above"]),
    away > 0 ? right(size, speaker, off) : left(size, speaker, off),
    away > 0 ? left(size, speaker, off) : right(size, speaker, off),
    ...leans.map((lean): [number, number, Side] => [middle - size.width * (1 - lean), speaker.y + speaker.height * 2.4 + GAP + off, "below"]),
  ];
  let best: Placed | null = null;
  let least = Infinity;
  let isFree = false;
  const weigh = ([wantedX, wantedY, side]: [number, number, Side], order: number) => {
    const x = clamp(wantedX, frame.x, frame.x + frame.width - size.width);
    const y = clamp(wantedY, frame.y, frame.y + frame.height - size.height);
    const box = { x, y, ...size };
    const upright = side === "above" || side === "below";
    const along = upright ? middle - x : speaker.y + speaker.height / 2 - y;
    const tail = clamp(along, TAIL_INSET, (upright ? size.width : size.height) - TAIL_INSET);
    // A face between the two, or a tail that misses its speaker, would give the words to somebody else.
    const others = partner ? [...faces, partner] : faces;
    const astray = sum(others, (one) => 4 * overlap(between(box, speaker, side), one)) + 20 * Math.abs(along - tail);
    const covered = 12 * overlap(box, grown(speaker)) + (partner ? 10 * overlap(box, grown(partner)) : 0) + sum(faces, (one) => 4 * overlap(box, grown(one))) + astray;
    const cost = covered + order * 30 + (Math.abs(x - wantedX) + Math.abs(y - wantedY)) * 2;
    if (cost >= least) return;
    least = cost;
    isFree = covered === 0;
    best = { x: Math.round(x), y: Math.round(y), side, tail: Math.round(tail) };
  };
  for (const off of FURTHER) {
    tries(off).forEach((one, order) => weigh(one, order + off / 10));
    if (isFree) break;
  }
  return best!;
}

/** The way from a speaker's face to the bubble, as wide as a tail. */
function between(box: Box, face: Box, side: Side): Box {
  const [x, y] = [face.x + face.width / 2 - TAIL / 2, face.y + face.height / 2 - TAIL / 2];
  if (side === "above") return { x, y: box.y + box.height, width: TAIL, height: face.y - box.y - box.height };
  if (side === "below") return { x, y: face.y + face.height, width: TAIL, height: box.y - face.y - face.height };
  if (side === "left") return { x: box.x + box.width, y, width: face.x - box.x - box.width, height: TAIL };
  return { x: face.x + face.width, y, width: box.x - face.x - face.width, height: TAIL };
}

const left = (size: Size, face: Box, off: number): [number, number, Side] => [face.x - GAP - size.width - off, face.y + face.height / 2 - size.height / 2, "left"];
const right = (size: Size, face: Box, off: number): [number, number, Side] => [face.x + face.width + GAP + off, face.y + face.height / 2 - size.height / 2, "right"];
const grown = (one: Box): Box => ({ x: one.x - 4, y: one.y - 4, width: one.width + 8, height: one.height + 8 });
const sum = (boxes: Box[], each: (one: Box) => number) => boxes.reduce((total, one) => total + each(one), 0);

export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(Math.max(low, high), value));
}

export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Words short enough for a bubble, cut between words; what is left out stands in the log. */
export function shortened(text: string, most: number): [words: string, cut: boolean] {
  const flat = text.replace(/\s+/g, " ").trim();
  const letters = [...flat];
  if (letters.length <= most) return [flat, false];
  const head = letters.slice(0, most).join("");
  const space = head.lastIndexOf(" ");
  return [head.slice(0, space > most * 0.6 ? space : undefined).replace(/[\s,;:]+$/, ""), true];
}
