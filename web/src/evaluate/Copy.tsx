import { Button } from "#/design/Button.tsx";
import { toast } from "#/design/Toasts.tsx";

/** A command for the terminal, with a button to copy it. */
export function Command({ text, label }: { text: string; label: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast("Copied.");
    } catch {
      toast("This browser does not let pages copy. Select the command and copy it yourself.");
    }
  };
  return (
    <div className="command">
      <pre tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <Button onPress={() => void copy()} aria-label={`Copy: ${label}`}>
        Copy
      </Button>
    </div>
  );
}
