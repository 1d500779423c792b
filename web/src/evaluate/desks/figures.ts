// The figures of a desk: estimates in words, and the cards in all its drawers.
import type { Estimate } from "../types.ts";
import { value } from "../words.ts";

export function estimate({ value: at, low, high, n, unscored = 0 }: Estimate): string {
  const reach = low === null || high === null ? "" : ` (95 % ${value("share", low)} to ${value("share", high)})`;
  return `${value("share", at)}${reach}, n ${n}${unscored ? `, ${unscored} unscored` : ""}`;
}

export const sum = (cards: Record<string, number>) => Object.values(cards).reduce((all, one) => all + one, 0);
