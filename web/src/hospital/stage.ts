// Painting: the floor, then pieces and people by depth. Only what has changed since the last time is painted again, each
// rectangle in full order, so that what is translucent never lies over itself.
import type { Art, Bearing, Looks } from "./art/contract.ts";
import { seenBox, type Box, type Size, type View } from "./camera.ts";
import { Sprites, type Sprite } from "./sprites.ts";

/** Somebody to paint: the feet in world pixels (`depth` is their y), and whether the light is on them. */
export interface Figure {
  who: string;
  looks: Looks;
  bearing: Bearing;
  x: number;
  y: number;
  lit: boolean;
}

interface Drawn extends Box {
  figure: Figure;
  key: string;
  sprite: Sprite;
  left: number;
  top: number;
}

const RING = { width: 21, height: 9 };

export class Stage {
  private readonly context: CanvasRenderingContext2D;
  private art: Art;
  /** The bitmaps in use: those of the whole building, and those of the present size. */
  private coarse: Sprites | null = null;
  private fine: Sprites | null = null;
  private last: { view: View; sprites: Sprites; drawn: Map<string, Drawn> } | null = null;
  private size: Size = { width: 0, height: 0 };
  private density = 1;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    art: Art,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.art = art;
  }

  dress(art: Art): void {
    this.art = art;
    this.coarse = this.fine = this.last = null;
  }

  resize(size: Size, density: number): void {
    this.size = size;
    this.density = Math.min(2, density);
    this.canvas.width = Math.max(1, Math.round(size.width * this.density));
    this.canvas.height = Math.max(1, Math.round(size.height * this.density));
    this.last = null;
  }

  /** Paint; while the camera `glides`, with bitmaps that are at hand. `ground` is the colour beside the building. */
  paint(figures: Figure[], view: View, glides: boolean, ground: string): void {
    const sprites = this.spritesFor(view, glides);
    // Device pixels for a pixel of the bitmaps; 1 but for what is stretched.
    const stretch = (view.zoom * this.density) / sprites.scale;
    const unit = Math.abs(stretch - 1) < 1e-6 ? 1 : stretch;
    const seen = seenBox(view, this.size);
    const shift = { x: Math.round(-seen.x * sprites.scale * unit), y: Math.round(-seen.y * sprites.scale * unit) };
    const drawn = new Map<string, Drawn>();
    for (const figure of figures) drawn.set(figure.who, this.place(figure, sprites));
    const moved = !this.last || this.last.sprites !== sprites || !equal(this.last.view, view);
    const rects = moved ? [this.everything(shift, unit)] : changed(this.last!.drawn, drawn);
    this.last = { view, sprites, drawn };
    if (!rects.length) return;
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (moved) {
      context.fillStyle = ground;
      context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    }
    context.setTransform(unit, 0, 0, unit, shift.x, shift.y);
    const people = [...drawn.values()].sort((a, b) => a.figure.y - b.figure.y);
    for (const rect of apart(rects)) this.repaint(rect, people, sprites);
  }

  private spritesFor(view: View, glides: boolean): Sprites {
    const wanted = view.zoom * this.density;
    const least = Math.min(this.size.width / this.art.size.width, this.size.height / this.art.size.height) * this.density;
    if (!this.coarse || Math.abs(this.coarse.scale / least - 1) > 0.02) this.coarse = new Sprites(this.art, least);
    if (Math.abs(wanted / this.coarse.scale - 1) < 1e-3) return this.coarse;
    if (this.fine && (glides || Math.abs(wanted / this.fine.scale - 1) < 1e-3 || this.fine.scale < wanted * 0.999 && capped(this.fine, this.art))) return this.fine;
    if (glides) return this.coarse;
    this.fine = new Sprites(this.art, wanted);
    return this.fine;
  }

  private place(figure: Figure, sprites: Sprites): Drawn {
    const sprite = sprites.person(figure.looks, figure.bearing);
    const left = Math.round(figure.x * sprites.scale) + sprite.x;
    const top = Math.round(figure.y * sprites.scale) + sprite.y;
    const ring = figure.lit ? Math.ceil(RING.width * sprites.scale) + 3 : 0;
    const feet = Math.round(figure.x * sprites.scale);
    const x = ring ? Math.min(left, feet - ring) : left;
    const right = ring ? Math.max(left + sprite.image.width, feet + ring) : left + sprite.image.width;
    const bottom = Math.max(top + sprite.image.height, figure.lit ? Math.ceil((figure.y + RING.height) * sprites.scale) + 3 : 0);
    const { bearing } = figure;
    const key = `${left} ${top} ${bearing.pose} ${bearing.facing} ${bearing.step} ${bearing.strain} ${figure.lit}`;
    return { figure, key, sprite, left, top, x, y: top, width: right - x, height: bottom - top };
  }

  private everything(shift: { x: number; y: number }, unit: number): Box {
    return { x: -shift.x / unit - 1, y: -shift.y / unit - 1, width: this.canvas.width / unit + 2, height: this.canvas.height / unit + 2 };
  }

  /** Paint one rectangle, given in pixels of the bitmaps. */
  private repaint(rect: Box, people: Drawn[], sprites: Sprites): void {
    const { context } = this;
    const { floor, scale } = sprites;
    const x = Math.max(0, rect.x);
    const y = Math.max(0, rect.y);
    const width = Math.min(floor.width, rect.x + rect.width) - x;
    const height = Math.min(floor.height, rect.y + rect.height) - y;
    if (width <= 0 || height <= 0) return;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.drawImage(floor, x, y, width, height, x, y, width, height);
    const here = people.filter((one) => touch(one, rect));
    for (const { figure } of here) if (figure.lit) ring(context, figure, scale, this.art.theme);
    let next = 0;
    const upTo = (depth: number) => {
      for (; next < here.length && here[next]!.figure.y * 1 < depth; next += 1) {
        const one = here[next]!;
        context.drawImage(one.sprite.image, one.left, one.top);
      }
    };
    for (const index of this.order()) {
      const piece = this.art.pieces[index]!;
      const box = { x: piece.x * scale, y: piece.y * scale, width: piece.width * scale, height: piece.height * scale };
      if (!touch(box, rect)) continue;
      upTo(piece.depth);
      const sprite = sprites.piece(index);
      context.drawImage(sprite.image, sprite.x, sprite.y);
    }
    upTo(Infinity);
    context.restore();
  }

  private sorted: { of: Art; indexes: number[] } | null = null;

  private order(): number[] {
    if (this.sorted?.of !== this.art) {
      const indexes = this.art.pieces.map((_, k) => k).sort((a, b) => this.art.pieces[a]!.depth - this.art.pieces[b]!.depth);
      this.sorted = { of: this.art, indexes };
    }
    return this.sorted.indexes;
  }
}

/** Whether bitmaps are as large as they may be, so that larger ones would be the same. */
const capped = (sprites: Sprites, art: Art) => sprites.floor.width * sprites.floor.height > 11.8e6 && art.size.width > 0;

/** The light on who hears: a ring on the floor, so that it is seen without colour. */
function ring(context: CanvasRenderingContext2D, { x, y }: Figure, scale: number, theme: string): void {
  context.beginPath();
  context.ellipse(x * scale, y * scale, RING.width * scale, RING.height * scale, 0, 0, 2 * Math.PI);
  context.fillStyle = theme === "dark" ? "rgb(255 233 170 / 30%)" : "rgb(255 214 102 / 45%)";
  context.fill();
  context.lineWidth = Math.max(1.5, 1.6 * scale);
  context.strokeStyle = theme === "dark" ? "#f6d68c" : "#b87a00";
  context.stroke();
}

const touch = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const equal = (a: View, b: View) => a.x === b.x && a.y === b.y && a.zoom === b.zoom;

/** Where somebody came, went, or changed. */
function changed(before: Map<string, Drawn>, now: Map<string, Drawn>): Box[] {
  const rects: Box[] = [];
  for (const [who, one] of now) {
    const old = before.get(who);
    if (old?.key === one.key) continue;
    rects.push(one);
    if (old) rects.push(old);
  }
  for (const [who, old] of before) if (!now.has(who)) rects.push(old);
  return rects;
}

/** Rectangles that overlap become one, so that nothing is painted twice. */
function apart(rects: Box[]): Box[] {
  const found: Box[] = [];
  for (const rect of rects) {
    let grown: Box = { x: rect.x - 1, y: rect.y - 1, width: rect.width + 2, height: rect.height + 2 };
    for (let k = found.length - 1; k >= 0; k -= 1) {
      const other = found[k]!;
      if (!touch(other, grown)) continue;
      const x = Math.min(other.x, grown.x);
      const y = Math.min(other.y, grown.y);
      grown = {
        x,
        y,
        width: Math.max(other.x + other.width, grown.x + grown.width) - x,
        height: Math.max(other.y + other.height, grown.y + grown.height) - y,
      };
      found.splice(k, 1);
      k = found.length;
    }
    found.push(grown);
  }
  return found;
}
