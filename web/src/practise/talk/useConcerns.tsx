// Asking about each concern before a move is sent, one after the other.
import { useState, type ReactNode } from "react";
import type { Concern, Move } from "#/api/types-of.ts";
import type { Sitting } from "#/practise/sitting/useSitting.ts";
import { Confirm } from "./Confirm.tsx";

/** `settled` gives the move to send in the end, or `null` for none; `window` is the question that is open. */
export function useConcerns(sitting: Sitting, leave: () => void): { settled: (move: Move) => Promise<Move | null>; window: ReactNode } {
  const [doubt, setDoubt] = useState<{ concern: Concern; settle: (move: Move | null) => void; move: Move } | null>(null);
  const settled = async (move: Move): Promise<Move | null> => {
    for (const concern of await sitting.check(move)) {
      const chosen = await new Promise<Move | null>((settle) => setDoubt({ concern, settle, move }));
      setDoubt(null);
      if (chosen !== move) return chosen;
    }
    return move;
  };
  const window = (
    <Confirm
      concern={doubt?.concern ?? null}
      onGo={() => doubt?.settle(doubt.move)}
      onInstead={(move) => doubt?.settle(move)}
      onStop={() => doubt?.settle(null)}
      leave={leave}
    />
  );
  return { settled, window };
}
