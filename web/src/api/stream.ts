// The tab's one stream of changes (server-sent events), shared by all screens through their topics.
import { useEffect, useRef, useSyncExternalStore } from "react";

type Heard = (message: unknown) => void;

const listeners = new Map<string, Set<Heard>>();
const watchers = new Set<() => void>();
let source: EventSource | null = null;
let opened = "";
let live = false;
let pending = 0;

function setLive(now: boolean): void {
  if (live === now) return;
  live = now;
  for (const tell of watchers) tell();
}

/** Opens the stream for the topics that are listened to; asked for often, done once when all have said. */
function reopen(): void {
  window.clearTimeout(pending);
  pending = window.setTimeout(() => {
    const topics = [...listeners.keys()].sort().join(",");
    if (topics === opened && source && source.readyState !== EventSource.CLOSED) return;
    source?.close();
    source = null;
    opened = topics;
    setLive(false);
    if (!topics) return;
    const now = new EventSource(`/api/stream?topics=${encodeURIComponent(topics)}`);
    source = now;
    now.onopen = () => {
      setLive(true);
      tellAll(null); // what happened while nobody listened is asked for anew
    };
    now.onmessage = (event) => hear(event.data);
    now.addEventListener("reset", (event) => hear(event.data)); // that topic is to be asked for anew
    now.addEventListener("end", () => {
      now.close(); // nothing more can come: every topic is over, or was taken back
      if (source === now) setLive(false);
    });
    now.onerror = () => {
      setLive(false);
      // The browser tries again by itself, unless the server refused: then screens ask at intervals instead.
      if (now.readyState === EventSource.CLOSED && source === now) {
        source = null;
        window.setTimeout(() => source === null && opened && reopen(), 15_000);
      }
    };
  }, 20);
}

function hear(data: string): void {
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return;
  }
  const topic = (message as { topic?: string } | null)?.topic;
  if (topic === undefined) tellAll(message);
  else for (const heard of listeners.get(topic) ?? []) heard(message);
}

function tellAll(message: unknown): void {
  for (const set of listeners.values()) for (const heard of set) heard(message);
}

/** Calls `heard` for each message on a topic. Returns whether the stream is open: if not, ask at intervals. */
export function useTopic(topic: string | null, heard: Heard): boolean {
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(() => {
    if (!topic) return;
    const call: Heard = (message) => latest.current(message);
    const set = listeners.get(topic) ?? new Set();
    set.add(call);
    listeners.set(topic, set);
    reopen();
    return () => {
      set.delete(call);
      if (!set.size) listeners.delete(topic);
      reopen();
    };
  }, [topic]);
  return useSyncExternalStore(watch, () => live);
}

function watch(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}
