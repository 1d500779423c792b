// The camera: which part of the building is seen, in which size, and the glide from one view to another.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The world pixel in the middle of the picture, and screen pixels for one world pixel. */
export interface View {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Room kept free within the picture, for bubbles above and names below. */
export interface Inset {
  top: number;
  side: number;
  bottom: number;
}

const GLIDE_MS = 650;
const NEAREST = 2.4;

/** The smallest box around some boxes. */
export function around(boxes: Box[]): Box {
  const x = Math.min(...boxes.map((one) => one.x));
  const y = Math.min(...boxes.map((one) => one.y));
  const right = Math.max(...boxes.map((one) => one.x + one.width));
  const bottom = Math.max(...boxes.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** The view that shows all of a box in a picture of this size. */
export function framing(box: Box, size: Size, inset: Inset, nearest = NEAREST): View {
  const width = Math.max(40, size.width - 2 * inset.side);
  const height = Math.max(40, size.height - inset.top - inset.bottom);
  const zoom = Math.min(nearest, width / box.width, height / box.height);
  return {
    x: box.x + box.width / 2,
    y: box.y + box.height / 2 - (inset.top - inset.bottom) / 2 / zoom,
    zoom,
  };
}

/** The view moved and zoomed so that it shows the world and little else. */
export function within(view: View, size: Size, world: Size): View {
  const zoom = Math.max(view.zoom, Math.min(size.width / world.width, size.height / world.height));
  return {
    x: held(view.x, size.width / zoom, world.width),
    y: held(view.y, size.height / zoom, world.height),
    zoom,
  };
}

function held(middle: number, seen: number, whole: number): number {
  return seen >= whole ? whole / 2 : Math.min(whole - seen / 2, Math.max(seen / 2, middle));
}

/** What of the world is seen. */
export function seenBox(view: View, size: Size): Box {
  const [width, height] = [size.width / view.zoom, size.height / view.zoom];
  return { x: view.x - width / 2, y: view.y - height / 2, width, height };
}

/** Whether a view shows a box well enough that moving the camera would only disturb. */
export function shows(view: View, size: Size, box: Box, wanted: View): boolean {
  const seen = seenBox(view, size);
  const slack = 6 / view.zoom;
  const inside =
    box.x >= seen.x - slack &&
    box.y >= seen.y - slack &&
    box.x + box.width <= seen.x + seen.width + slack &&
    box.y + box.height <= seen.y + seen.height + slack;
  return inside && wanted.zoom / view.zoom < 1.5;
}

export class Camera {
  private from: View;
  private goal: View;
  private since = 0;

  constructor(view: View) {
    this.from = this.goal = view;
  }

  /** The view at a time of the screen's clock. */
  at(now: number): View {
    const share = Math.min(1, Math.max(0, (now - this.since) / GLIDE_MS));
    if (share >= 1) return this.goal;
    const eased = share * share * (3 - 2 * share);
    const mix = (a: number, b: number) => a + (b - a) * eased;
    // Sizes are mixed by ratio, so that the glide looks even.
    return {
      x: mix(this.from.x, this.goal.x),
      y: mix(this.from.y, this.goal.y),
      zoom: this.from.zoom * (this.goal.zoom / this.from.zoom) ** eased,
    };
  }

  glides(now: number): boolean {
    return now - this.since < GLIDE_MS;
  }

  get aim(): View {
    return this.goal;
  }

  /** Go to a view; `cut`: at once. */
  go(view: View, now: number, cut = false): void {
    if (same(view, this.goal)) return;
    this.from = cut ? view : this.at(now);
    this.goal = view;
    this.since = cut ? -Infinity : now;
  }
}

const same = (a: View, b: View) => Math.abs(a.x - b.x) < 0.5 && Math.abs(a.y - b.y) < 0.5 && Math.abs(a.zoom / b.zoom - 1) < 0.002;
