// A sitting: its state, kept fresh by the stream, and what its person does.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { get, isRefusal, post, Problem } from "#/api/client.ts";
import { useTopic } from "#/api/stream.ts";
import type { Concern, Move, SittingState } from "#/api/types-of.ts";
import { toast } from "#/design/Toasts.tsx";

export interface Sitting {
  state: SittingState;
  offline: boolean;
  /** The move on its way, or taken and not yet in the feed. */
  sending: Move | null;
  /** Why the last move was not taken, in words. */
  refused: string;
  /** What to confirm before a move is sent; empty where nothing speaks against it. */
  check: (move: Move) => Promise<Concern[]>;
  /** Sends a move for the open question; whether it was taken. */
  send: (move: Move) => Promise<boolean>;
  read: (item: string, words: string) => Promise<void>;
  /** This person's readings of pictures, by log item. */
  readings: Record<string, string>;
  reload: () => void;
}

export const STATUS_WORDS: Record<SittingState["status"], string> = {
  starting: "being set up",
  yours: "your turn",
  thinking: "others are thinking",
  paused: "paused",
  ended: "ended",
};

export function useSitting(id: string) {
  const queries = useQueryClient();
  const key = ["sitting", id];
  const reload = useCallback(() => void queries.invalidateQueries({ queryKey: ["sitting", id] }), [queries, id]);
  const live = useRef(false);
  const found = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => get<SittingState>(`/api/sittings/${encodeURIComponent(id)}`, signal),
    refetchInterval: (query) => !isRefusal(query.state.error) && pause(query.state.data?.status, live.current),
    refetchOnWindowFocus: true,
  });
  const gone = isRefusal(found.error);
  const [sent, setSent] = useState<{ ticket: string; move: Move; after: number } | null>(null);
  const [refused, setRefused] = useState("");

  const state = found.data;
  live.current = useTopic(state && !gone && state.status !== "ended" ? `sitting:${id}` : null, reload);
  const ticket = state?.ticket ?? null;
  const address = `/api/sittings/${encodeURIComponent(id)}`;

  const check = async (move: Move): Promise<Concern[]> => {
    if (!ticket) return [];
    try {
      return await post<Concern[]>(`${address}/moves/check`, { ticket, move });
    } catch (error) {
      if (error instanceof Problem && error.status === 409) reload();
      return []; // the move itself says what is wrong
    }
  };

  const send = async (move: Move): Promise<boolean> => {
    if (!ticket || !state) return false;
    setSent({ ticket, move, after: replies(state) });
    setRefused("");
    try {
      await post(`${address}/moves`, { ticket, move });
      await queries.invalidateQueries({ queryKey: key });
      return true;
    } catch (error) {
      setSent(null);
      const problem = error instanceof Problem ? error : new Problem(0, String(error));
      if (problem.status === 409) toast("It has gone on in another window. This is where it stands now.");
      else setRefused([problem.what, problem.mend].filter(Boolean).join(" "));
      reload();
      return false;
    }
  };

  const read = async (item: string, words: string): Promise<void> => {
    await post(`${address}/readings`, { item, words });
    await queries.invalidateQueries({ queryKey: key });
  };

  const waits = sent && state && replies(state) <= sent.after && (state.ticket ?? sent.ticket) === sent.ticket;
  const sending = waits && state.status !== "ended" ? sent.move : null;
  const sitting: Sitting | null = state && !gone
    ? {
        state,
        offline: found.error instanceof Problem && found.error.offline,
        sending,
        refused,
        check,
        send,
        read,
        readings: state.readings ?? {},
        reload,
      }
    : null;
  return { sitting, error: found.error, loading: found.isPending, reload };
}

/** Milliseconds until the state is asked for again, were there no word of a change. */
function pause(status: SittingState["status"] | undefined, live: boolean): number | false {
  if (status === "ended") return false;
  if (live) return status === "yours" ? 15_000 : 4_000;
  return status === "thinking" || status === "starting" ? 600 : 3_000;
}

/** How many replies of one's own the feed holds. */
function replies(state: SittingState): number {
  return state.feed.filter((item) => item.reply && item.seat === state.seat).length;
}
