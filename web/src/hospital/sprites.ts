// What is drawn once and shown often: the floor, the pieces and the people, as bitmaps of one scale.
import type { Art, Bearing, Looks } from "./art/contract.ts";

/** A bitmap and where its corner lies: in pixels of the scale, from the world's corner or from somebody's feet. */
export interface Sprite {
  image: HTMLCanvasElement;
  x: number;
  y: number;
}

const MOST_PIXELS = 12e6;
const MOST_PEOPLE = 600;

/** The bitmaps of one art at one scale: device pixels for a world pixel. */
export class Sprites {
  readonly scale: number;
  readonly floor: HTMLCanvasElement;
  private readonly pieces: (Sprite | undefined)[];
  private readonly people = new Map<string, Sprite>();

  constructor(
    private readonly art: Art,
    wanted: number,
  ) {
    const { width, height } = art.size;
    // A larger one costs too much memory; it is stretched a little instead.
    this.scale = Math.min(wanted, Math.sqrt(MOST_PIXELS / (width * height)));
    this.floor = drawn(width * this.scale, height * this.scale, (context) => {
      context.scale(this.scale, this.scale);
      art.building(context);
    });
    this.pieces = new Array<Sprite | undefined>(art.pieces.length);
  }

  /** The piece of that index. */
  piece(index: number): Sprite {
    return (this.pieces[index] ??= this.drawPiece(index));
  }

  person(looks: Looks, bearing: Bearing): Sprite {
    const key = `${nameOf(looks)} ${bearing.pose} ${bearing.facing} ${bearing.step} ${bearing.strain}`;
    const found = this.people.get(key);
    if (found) return found;
    if (this.people.size >= MOST_PEOPLE) this.people.clear();
    const { personBox: box } = this.art;
    const made = this.cut(box.x, box.y, box.width, box.height, (context) => this.art.person(context, looks, bearing));
    this.people.set(key, made);
    return made;
  }

  private drawPiece(index: number): Sprite {
    const piece = this.art.pieces[index]!;
    return this.cut(piece.x, piece.y, piece.width, piece.height, piece.paint);
  }

  /** Draw what lies in a box of world pixels, on whole pixels of the scale. */
  private cut(x: number, y: number, width: number, height: number, paint: (context: CanvasRenderingContext2D) => void): Sprite {
    const { scale } = this;
    const [left, top] = [Math.floor(x * scale), Math.floor(y * scale)];
    const image = drawn(Math.ceil((x + width) * scale) - left, Math.ceil((y + height) * scale) - top, (context) => {
      context.translate(-left, -top);
      context.scale(scale, scale);
      paint(context);
    });
    return { image, x: left, y: top };
  }
}

const names = new WeakMap<Looks, string>();

function nameOf(looks: Looks): string {
  const found = names.get(looks);
  if (found) return found;
  const name = Object.values(looks).join("-");
  names.set(looks, name);
  return name;
}

function drawn(width: number, height: number, paint: (context: CanvasRenderingContext2D) => void): HTMLCanvasElement {
  const image = document.createElement("canvas");
  image.width = Math.max(1, Math.ceil(width));
  image.height = Math.max(1, Math.ceil(height));
  const context = image.getContext("2d");
  if (context) paint(context);
  return image;
}
