// Arithmetic of colours: one warm light, violet shadows, and the evening as a filter over the day's colours.
type Rgb = readonly [number, number, number];

const parsed = new Map<string, Rgb>();

function rgb(hex: string): Rgb {
  let found = parsed.get(hex);
  if (!found) {
    const n = Number.parseInt(hex.slice(1), 16);
    found = [n >> 16, (n >> 8) & 255, n & 255];
    parsed.set(hex, found);
  }
  return found;
}

function hexOf(r: number, g: number, b: number): string {
  const n = (Math.round(r) << 16) | (Math.round(g) << 8) | Math.round(b);
  return `#${n.toString(16).padStart(6, "0")}`;
}

/** The colour at `t` of the way from `a` to `b`. */
export function mix(a: string, b: string, t: number): string {
  const [r, g, l] = rgb(a);
  const [s, h, m] = rgb(b);
  return hexOf(r + (s - r) * t, g + (h - g) * t, l + (m - l) * t);
}

/** Towards the warm light. */
export const lit = (hex: string, t: number): string => mix(hex, "#fffaf0", t);

/** Towards the violet shadow. */
export const shaded = (hex: string, t: number): string => mix(hex, "#3b3560", t);

/** The same colour with an opacity. */
export function clear(hex: string, alpha: number): string {
  const [r, g, b] = rgb(hex);
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** Colours as the evening shows them: each channel times its own factor, and a little blue over all. */
export function evening(red: number, green: number, blue: number, veil = 0, over = "#22345e"): (hex: string) => string {
  const known = new Map<string, string>();
  return (hex) => {
    let found = known.get(hex);
    if (!found) {
      const [r, g, b] = rgb(hex);
      found = mix(hexOf(r * red, g * green, b * blue), over, veil);
      known.set(hex, found);
    }
    return found;
  };
}
