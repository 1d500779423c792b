// Short messages at the foot of the window. They stay until they are closed, or 10 s.
import "./surfaces.css";
import { useEffect, useState } from "react";
import { Button } from "./Button.tsx";
import { Icon } from "./Icon.tsx";
import { visible } from "./text.ts";

interface Message {
  id: number;
  text: string;
}
let show: (text: string) => void = () => undefined;

/** Shows a short message, also to screen readers. */
export function toast(text: string): void {
  show(text);
}

export function Toasts() {
  const [messages, setMessages] = useState<Message[]>([]);
  useEffect(() => {
    let count = 0;
    show = (text) => {
      const id = ++count;
      setMessages((now) => [...now.slice(-2), { id, text }]);
      window.setTimeout(() => setMessages((now) => now.filter((one) => one.id !== id)), 10_000);
    };
    return () => {
      show = () => undefined;
    };
  }, []);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {messages.map(({ id, text }) => (
        <div key={id} className="toast">
          <span>{visible(text)}</span>
          <Button
            look="quiet"
            aria-label="Close this message"
            onPress={() => setMessages((now) => now.filter((one) => one.id !== id))}
          >
            <Icon name="cross" size={18} />
          </Button>
        </div>
      ))}
    </div>
  );
}
