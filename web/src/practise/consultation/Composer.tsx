// What the doctor can do: say (first), examine, order, wait, ask the consultant; conclude stands apart.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { get } from "#/api/client.ts";
import type { Move, Orderable } from "#/api/types-of.ts";
import { useWide } from "#/app/useWide.ts";
import { Button } from "#/design/Button.tsx";
import { Combo } from "#/design/Fields.tsx";
import { Icon, type IconName } from "#/design/Icon.tsx";
import { SayBox } from "#/practise/talk/SayBox.tsx";

export type Mode = "say" | "examine" | "test" | "consult";

export function useOrderables() {
  return useQuery({ queryKey: ["orderables"], queryFn: () => get<Orderable[]>("/api/orderables"), staleTime: Infinity });
}

export function Composer({
  draft,
  onDraft,
  onMove,
  onConclude,
  consultant,
  busy,
  refused,
  lastTurn,
}: {
  draft: string;
  onDraft: (text: string) => void;
  /** Does something; whether it was done, so that the field can be emptied. */
  onMove: (move: Move) => Promise<boolean>;
  onConclude: () => void;
  consultant: boolean;
  busy: boolean;
  refused: string;
  lastTurn: boolean;
}) {
  const [mode, setMode] = useState<Mode>("say");
  const [order, setOrder] = useState("");
  const [question, setQuestion] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const wide = useWide(40);
  const { isFetched } = useOrderables(); // there before anybody begins to write an order

  // Changing what is done moves the focus into its field; the first screen does not steal it.
  const focused = useRef<Mode>("say");
  const ready = isFetched || mode === "say" || mode === "consult";
  useEffect(() => {
    if (focused.current === mode || !ready) return;
    focused.current = mode;
    // A moment later, so that a list of suggestions is there to be opened by the focus.
    const timer = window.setTimeout(() => box.current?.querySelector<HTMLElement>("textarea, input")?.focus(), 50);
    return () => window.clearTimeout(timer);
  }, [mode, ready]);

  const done = async (move: Move, after: () => void) => {
    if (await onMove(move)) {
      after();
      setMode("say");
    }
  };
  const act = (to: Mode, icon: IconName, word: string, name = word) => (
    <Button
      look="quiet"
      className={`act ${mode === to ? "on" : ""}`}
      aria-pressed={mode === to}
      aria-label={name}
      onPress={() => setMode(mode === to ? "say" : to)}
      isDisabled={lastTurn}
    >
      <Icon name={icon} /> {word}
    </Button>
  );
  return (
    <div className="composer">
      {refused && (
        <p className="notice" role="alert">
          <Icon name="warn" size={20} /> {refused}
        </p>
      )}
      <div ref={box}>
        {mode === "say" && (
          <SayBox
            label={lastTurn ? "This was your last turn: conclude" : "Say something to the patient"}
            value={draft}
            onChange={onDraft}
            busy={busy || lastTurn}
            onSay={() => void done({ action: "ASK", question: draft.trim() }, () => onDraft(""))}
          />
        )}
        {mode === "consult" && (
          <SayBox
            label="What do you want to ask the consultant?"
            verb="Ask"
            value={question}
            onChange={setQuestion}
            busy={busy}
            onSay={() => void done({ action: "CALL_MDT", question: question.trim() }, () => setQuestion(""))}
          />
        )}
        {(mode === "examine" || mode === "test") && (
          <OrderBox
            key={mode}
            kind={mode}
            value={order}
            onChange={setOrder}
            busy={busy}
            onOrder={(name) => void done({ action: "REQUEST_TEST", test_name: name.slice(0, 300) }, () => setOrder(""))}
          />
        )}
      </div>
      <div className="acts">
        {act("examine", "examine", "Examine")}
        {act("test", "test", wide ? "Order a test" : "Test", "Order a test")}
        <Button
          look="quiet"
          className="act"
          onPress={() => void done({ action: "WAIT" }, () => undefined)}
          isDisabled={busy || lastTurn}
        >
          <Icon name="wait" /> Wait
        </Button>
        {consultant && act("consult", "consult", "Consultant")}
        <Button look="final" className="act conclude" onPress={onConclude} isDisabled={busy}>
          <Icon name="conclude" /> Conclude
        </Button>
      </div>
    </div>
  );
}

function OrderBox({
  kind,
  value,
  onChange,
  onOrder,
  busy,
}: {
  kind: "examine" | "test";
  value: string;
  onChange: (text: string) => void;
  onOrder: (name: string) => void;
  busy: boolean;
}) {
  const { data } = useOrderables();
  const items = (data ?? []).filter((one) => (one.kind === "examination") === (kind === "examine"));
  return (
    <form
      className="say-box"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() && !busy) onOrder(value.trim());
      }}
    >
      <Combo
        label={kind === "examine" ? "What do you examine?" : "Which test or image do you order?"}
        placeholder={kind === "examine" ? "Examine what? Choose or write" : "Order what? Choose or write"}
        quiet
        above
        suggestions={items.map(({ name, kind: note, also, within, common }) => ({ id: name, name, also, within, common, ...(kind === "test" ? { note } : {}) }))}
        value={value}
        onChange={onChange}
        onChosen={onChange}
      />
      <Button type="submit" look="main" className="round" isDisabled={busy}>
        {kind === "examine" ? "Examine" : "Order"}
      </Button>
    </form>
  );
}
