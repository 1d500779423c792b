// Text of cases, models and people is shown as it is, except characters that hide or reorder other text.

const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;

/** The text with control and bidirectional characters made visible: "\u202E" becomes "[U+202E]". */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(HIDDEN, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** Simulated time, as the records write it: "0:07", and "day 8 2:00" from the second day on. */
export function clock(minute: number): string {
  const days = Math.floor(minute / 1440);
  const rest = minute % 1440;
  const time = `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")}`;
  return days ? `day ${days + 1} ${time}` : time;
}

/** A length of simulated time in words: "45 min", "3 h 47 min", "7 days". */
export function span(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
  return `${Math.round(minutes / 1440)} days`;
}

/** Names in a row: "Owen", "Owen and Zuzana", "Owen, Zuzana and the tutor". */
export function listed(names: string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A result as it is written by hand: "4.1 x10^9/L" becomes "4.1 ×10⁹/L". */
export function asWritten(text: string): string {
  return visible(text).replace(/(?<![a-z0-9])[x*×]\s?10\^(\d+)/gi, (_, power: string) => `×10${[...power].map((one) => RAISED[Number(one)]).join("")}`);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
