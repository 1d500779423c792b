// The rows of the log: every item with words, and what the picture shows of it beside (walks, waits), so that the list is
// complete without the picture. Picture and list share one clock: a row stands at a scene.
import { compareIds } from "#/hospital/search.ts";
import type { Choreography, Scene } from "#/hospital/types.ts";
import type { LogItem } from "#/evaluate/types.ts";
import { hasWords } from "../log/LogRow.tsx";

export interface Row {
  item: LogItem;
  /** The index of its scene; where an item has none, of the one before it. */
  scene: number;
  /** When it begins on the clock. */
  t0: number;
  /** What is seen and not said: who walks where, how long one waits. */
  staged: string[];
}

const OPENING: Omit<LogItem, "id"> = { n: 0, minute: 0, event: null, seat: "", reply: null, lines: [], mark: null, picture: "" };

/** `ended`: whether nothing more will come; until then an item waits for its scene. */
export function rowsOf(items: LogItem[], made: Choreography, ended = true): Row[] {
  const byId = new Map(made.scenes.map((scene, index) => [scene.id, { scene, index }]));
  const rows: Row[] = [];
  const first = made.scenes[0];
  if (first && !items.some(({ id }) => id === first.id)) rows.push({ item: { ...OPENING, id: first.id }, scene: 0, t0: 0, staged: first.what.split("\n").map(plainly) });
  let before = { index: Math.min(0, made.scenes.length - 1), t0: 0 };
  const directed = made.scenes.at(-1)?.id ?? "";
  for (const item of items) {
    const found = byId.get(item.id);
    if (!ended && !found && compareIds(item.id, directed) > 0) break;
    if (found) before = { index: found.index, t0: found.scene.t0 };
    const staged = found ? stagedOf(found.scene, item) : [];
    if (hasWords(item) || staged.length) rows.push({ item, scene: before.index, t0: before.t0, staged });
  }
  return rows;
}

/** The walks and waits of a scene: what its storyboard has beside the item's own words. */
function stagedOf(scene: Scene, item: LogItem): string[] {
  const own = new Set(item.lines.flatMap(({ label, text }) => `${label}: ${text}`.split("\n")));
  return scene.what
    .split("\n")
    .filter((line) => !own.has(line) && (/^\(.+ to .+\)$/.test(line) || / later:$/.test(line)))
    .map(plainly);
}

/** "(patient to Waiting hall)" as a sentence of the log. */
export function plainly(line: string): string {
  const walk = /^\((.+) to (.+)\)$/.exec(line);
  if (walk) return `${walk[1]!.replaceAll("_", " ")} walks to: ${walk[2]}`;
  return line.replace(/ later:$/, " later");
}

/** The row that plays while scene `scene` does. */
export function rowAt(rows: Row[], scene: number): number {
  return Math.max(0, rows.findLastIndex((row) => row.scene <= scene));
}

/** The next row in a direction that stands at another scene. */
export function stepByRow(rows: Row[], at: number, by: 1 | -1): number {
  const here = rows[at]?.scene ?? 0;
  const found = by === 1 ? rows.findIndex((row, k) => k > at && row.scene > here) : rows.findLastIndex((row, k) => k < at && row.scene < here);
  return found < 0 ? at : found;
}

/** The first row of the next exchange in a direction. */
export function stepByExchange(rows: Row[], at: number, by: 1 | -1): number {
  const n = rows[at]?.item.n ?? 0;
  if (by === 1) {
    const next = rows.findIndex((row) => row.item.n > n);
    return next < 0 ? rows.length - 1 : next;
  }
  const before = rows.findLast((row) => row.item.n < n)?.item.n;
  return before === undefined ? 0 : rows.findIndex((row) => row.item.n === before);
}

/** The row of an id, or the last before it. */
export function rowOf(rows: Row[], id: string): number {
  return Math.max(0, rows.findLastIndex(({ item }) => compareIds(item.id, id) <= 0));
}
