// Requests to the server. Every failure is a Problem: what is wrong, where, and what to do about it.
import { capital } from "#/design/text.ts";

/** An answer of the server that is not a success, or no answer at all (`status` 0: offline). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly what: string,
    readonly where = "",
    readonly mend = "",
  ) {
    super(what);
  }
  get offline(): boolean {
    return this.status === 0;
  }
}

const REFUSALS = [401, 403, 404, 410];

/** Whether the server keeps from this visitor what was asked for: it is not there, was deleted, or is not permitted. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && REFUSALS.includes(error.status);
}

/** The refusal of what was shown before: it was deleted, or its people or a right of the visitor's permit it no more. */
export class Withdrawal extends Problem {
  constructor({ status, what, where, mend }: Problem) {
    super(status, what, where, mend);
  }
}

async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      signal: signal ?? null,
      credentials: "same-origin",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, "The server cannot be reached.", "", "Nothing is lost. It is tried again by itself.");
  }
  const text = await answer.text();
  let said: unknown;
  try {
    said = text ? JSON.parse(text) : null;
  } catch {
    said = null;
  }
  if (answer.ok) return said as T;
  const { what, where, mend } = (said ?? {}) as Record<string, string | undefined>;
  throw new Problem(answer.status, what || `The server answered ${answer.status}.`, where ?? "", mend ?? "");
}

export const get = <T>(path: string, signal?: AbortSignal) => ask<T>("GET", path, undefined, signal);
export const post = <T>(path: string, body: unknown = {}) => ask<T>("POST", path, body);
export const put = <T>(path: string, body: unknown = {}) => ask<T>("PUT", path, body);
export const patch = <T>(path: string, body: unknown = {}) => ask<T>("PATCH", path, body);
export const remove = <T>(path: string) => ask<T>("DELETE", path);

/** What went wrong in one sentence, for a line beside what was pressed. */
export function inWords(error: unknown): string {
  return error instanceof Problem ? [error.what, error.mend].filter(Boolean).map(capital).join(". ") : String(error);
}
