// Concerns before a reply is sent: a small question, never a wall.
import type { Concern, Move } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { visible } from "#/design/text.ts";

const HEADINGS: Record<Concern["kind"], string> = {
  order: "Order this?",
  distress: "Are you all right?",
  early: "Not yet",
  contradicts: "The case has it otherwise",
  wait: "Wait?",
  conclude: "Conclude?",
};
const GO_ON: Record<Concern["kind"], string> = {
  order: "No, say it",
  distress: "Go on",
  early: "Say it all the same",
  contradicts: "Say it all the same",
  wait: "Yes, wait",
  conclude: "Yes, conclude",
};

/** Shows the first concern; `onGo` sends the move as it is, `onInstead` the one that is suggested. */
export function Confirm({
  concern,
  onGo,
  onInstead,
  onStop,
  leave,
}: {
  concern: Concern | null;
  onGo: () => void;
  onInstead: (move: Move) => void;
  onStop: () => void;
  leave?: () => void;
}) {
  if (!concern) return null;
  const { kind, text, instead, blocks } = concern;
  return (
    <Dialog
      open
      onClose={onStop}
      heading={HEADINGS[kind]}
      ends={
        <>
          <Button onPress={onStop}>{blocks ? "Change it" : "Back"}</Button>
          {kind === "distress" && leave && (
            <Button
              onPress={() => {
                onStop();
                leave();
              }}
            >
              Leave for now
            </Button>
          )}
          {!blocks && (
            <Button {...(instead ? {} : { look: "main" as const })} onPress={onGo}>
              {GO_ON[kind]}
            </Button>
          )}
          {instead && (
            <Button look="main" onPress={() => onInstead(instead)}>
              {kind === "order" ? "Yes, order it" : "Yes, that"}
            </Button>
          )}
        </>
      }
    >
      <p>{visible(text)}</p>
    </Dialog>
  );
}
