// Where the words of a quote stand in a text, whatever its spaces and capitals.
import type { ReactNode } from "react";

const apart = (text: string) => text.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").split(/\s+/).join("\\s+");

/** The text with the first occurrence of `quote` marked. */
export function withMark(text: string, quote: string): ReactNode {
  if (!quote.trim()) return text;
  const found = new RegExp(apart(quote), "iu").exec(text);
  if (!found) return text;
  const end = found.index + found[0].length;
  return (
    <>
      {text.slice(0, found.index)}
      <mark>{found[0]}</mark>
      {text.slice(end)}
    </>
  );
}
