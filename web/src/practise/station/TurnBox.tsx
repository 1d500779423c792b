// A turn: what you say (first) and what you do, sent together. "All that is due is done" stands apart and asks.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { get } from "#/api/client.ts";
import type { Move, Orderable } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Combo } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { visible } from "#/design/text.ts";
import { ACTS } from "./acts.ts";

export interface Turn {
  speak: string;
  actions: string[];
  /** The act that is being written. */
  act: string;
}
export const NOTHING: Turn = { speak: "", actions: [], act: "" };
const MOST_ACTS = 40;

export function TurnBox({
  turn,
  onTurn,
  onSend,
  busy,
  refused,
}: {
  turn: Turn;
  onTurn: (turn: Turn) => void;
  onSend: (move: Move) => void;
  busy: boolean;
  refused: string;
}) {
  const [sure, setSure] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const acts = [...turn.actions, ...(turn.act.trim() ? [turn.act.trim()] : [])].slice(0, MOST_ACTS);
  const empty = !turn.speak.trim() && !acts.length;
  const send = (eos: boolean) => onSend({ speak: turn.speak.trim(), actions: acts, eos });
  const add = () => turn.act.trim() && onTurn({ ...turn, actions: acts, act: "" });
  const give = () => {
    if (busy) return;
    if (empty) field.current?.focus();
    else send(false);
  };
  return (
    <form
      className="turn-box"
      onSubmit={(event) => {
        event.preventDefault();
        give();
      }}
    >
      {refused && (
        <p className="notice" role="alert">
          <Icon name="warn" size={20} /> {refused}
        </p>
      )}
      <label className="say">
        <span>Say</span>
        <textarea
          ref={field}
          placeholder="What you say aloud"
          rows={1}
          maxLength={8000}
          value={turn.speak}
          onChange={(event) => onTurn({ ...turn, speak: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
            event.preventDefault();
            give();
          }}
        />
      </label>
      <Acts turn={turn} onTurn={onTurn} add={add} />
      <div className="turn-ends">
        <Button type="submit" look="main" className="round" isDisabled={busy}>
          Send
        </Button>
        <Button look="quiet" onPress={() => onSend({ speak: "", actions: [], eos: false })} isDisabled={busy || !empty}>
          <Icon name="wait" size={20} /> Let time pass
        </Button>
        <Button look="final" className="all-done" onPress={() => setSure(true)} isDisabled={busy}>
          All is done
        </Button>
      </div>
      <Dialog
        open={sure}
        onClose={() => setSure(false)}
        heading="Is all that is due done?"
        ends={
          <>
            <Button onPress={() => setSure(false)}>Not yet</Button>
            <Button
              look="final"
              className="sure"
              isDisabled={busy}
              onPress={() => {
                setSure(false);
                send(true);
              }}
            >
              Yes, all that is due is done
            </Button>
          </>
        }
      >
        <p>
          You say that everything is done that is due in this situation. The station moves on, or ends.
          {!empty && " What you have written is sent with it."}
        </p>
      </Dialog>
    </form>
  );
}

function Acts({ turn, onTurn, add }: { turn: Turn; onTurn: (turn: Turn) => void; add: () => void }) {
  const [added, setAdded] = useState(0); // a fresh field after each act, so that its list is closed
  const addOne = () => {
    if (!turn.act.trim()) return;
    add();
    setAdded(added + 1);
  };
  const { data } = useQuery({
    queryKey: ["orderables"],
    queryFn: () => get<Orderable[]>("/api/orderables"),
    staleTime: Infinity,
  });
  const orderables = Array.isArray(data) ? data : [];
  const suggestions = [
    ...ACTS.map((name) => ({ id: `act ${name}`, name })),
    ...orderables.map(({ name, kind, also, within }) => ({ id: name, name, note: kind, also, within })),
  ];
  return (
    <div className="do">
      {turn.actions.length > 0 && (
        <ul className="chips" aria-label="What you are going to do">
          {turn.actions.map((act, k) => (
            <li key={`${k} ${act}`} className="chip">
              {visible(act)}
              <Button
                look="quiet"
                aria-label={`Take back: ${visible(act)}`}
                onPress={() => onTurn({ ...turn, actions: turn.actions.filter((_, at) => at !== k) })}
              >
                <Icon name="cross" size={16} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div
        className="do-line"
        onKeyDownCapture={(event) => {
          const field = event.target as HTMLElement;
          if (event.key !== "Enter" || event.nativeEvent.isComposing || field.tagName !== "INPUT") return;
          if (field.getAttribute("aria-activedescendant")) return; // a suggestion is being chosen
          event.preventDefault();
          window.setTimeout(addOne); // once the list has closed by the same key
        }}
      >
        <Combo
          key={added}
          autoFocus={added > 0}
          label="Do"
          above
          placeholder="One act at a time"
          suggestions={suggestions}
          value={turn.act}
          onChange={(act) => onTurn({ ...turn, act: act.slice(0, 1000) })}
          onChosen={(act) => onTurn({ ...turn, act })}
        />
        <Button onPress={addOne} isDisabled={!turn.act.trim() || turn.actions.length >= MOST_ACTS} aria-label="Add this act">
          <Icon name="plus" />
        </Button>
      </div>
    </div>
  );
}
