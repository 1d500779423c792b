// Single keys of a screen: what they do, a window that lists them (?), and a switch that turns them off.
import { useEffect, useRef, useState } from "react";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import { Tick } from "./Fields.tsx";
import { Icon } from "./Icon.tsx";

export interface Key {
  /** As `KeyboardEvent.key` has it, with "Shift+" before it where Shift is held: "ArrowLeft", "Shift+ArrowLeft", "j". */
  key: string;
  /** What is written on the key, and what it does. */
  shown: string;
  does: string;
  press: () => void;
}

const KEPT = "osler.keys";
const FIELDS = "input, textarea, select, [contenteditable], [role=tab], [role=listbox], [role=slider], [role=dialog] *";

/** Whether single keys were left on here; a browser may keep nothing for a page that is a file. */
function kept(): boolean {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
}

/** Listens to single keys while no field has the focus. Returns the button that shows them all. */
export function Keys({ keys }: { keys: Key[] }) {
  const [on, setOn] = useState(kept);
  const [open, setOpen] = useState(false);
  const latest = useRef(keys);
  latest.current = keys;

  useEffect(() => {
    if (!on) return;
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
      const target = event.target as Element;
      if (target.matches(FIELDS) || document.querySelector("[role=dialog]")) return;
      if (event.key === " " && target.closest("button, a, [role=button], summary")) return;
      const name = `${event.shiftKey && event.key !== "?" ? "Shift+" : ""}${event.key}`;
      const found = latest.current.find(({ key }) => key.toLowerCase() === name.toLowerCase());
      if (!found && event.key !== "?") return;
      event.preventDefault();
      if (found) found.press();
      else setOpen(true);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [on]);

  const turn = (now: boolean) => {
    setOn(now);
    try {
      localStorage.setItem(KEPT, now ? "on" : "off");
    } catch {
      // Kept for this page alone, then.
    }
  };
  return (
    <>
      <Button look="quiet" onPress={() => setOpen(true)} aria-label="Keys of this screen">
        <Icon name="help" /> Keys
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} heading="Keys of this screen">
        <dl className="keys-list">
          {keys.map(({ key, shown, does }) => (
            <div key={key}>
              <dt>
                <kbd>{shown}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
          <div>
            <dt>
              <kbd>?</kbd>
            </dt>
            <dd>Show these keys</dd>
          </div>
        </dl>
        <Tick checked={on} onChange={turn}>
          Use single keys. They are never used while you write in a field.
        </Tick>
      </Dialog>
    </>
  );
}
