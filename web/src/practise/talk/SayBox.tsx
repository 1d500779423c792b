import "./talk.css";
import { useRef, type ReactNode } from "react";
import { Button } from "#/design/Button.tsx";

/** The field for what is said. Enter sends, Shift+Enter begins a new line; composing text never sends. */
export function SayBox({
  value,
  onChange,
  onSay,
  busy,
  label,
  verb = "Say",
  max = 4000,
  children,
}: {
  value: string;
  onChange: (text: string) => void;
  onSay: () => void;
  busy?: boolean;
  label: string;
  verb?: string;
  max?: number;
  children?: ReactNode;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const say = () => {
    if (value.trim() && !busy) onSay();
    else field.current?.focus();
  };
  return (
    <form
      className="say-box"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
    >
      <textarea
        ref={field}
        aria-label={label}
        placeholder={label}
        rows={1}
        maxLength={max}
        value={value}
        enterKeyHint="send"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          say();
        }}
      />
      <Button type="submit" look="main" className="round" {...(busy ? { isDisabled: true } : {})}>
        {verb}
      </Button>
      {children}
    </form>
  );
}
