import "./talk.css";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "#/design/Button.tsx";
import { Dots } from "#/design/States.tsx";
import { Icon } from "#/design/Icon.tsx";
import { visible } from "#/design/text.ts";
import { Bubble } from "./Bubble.tsx";
import type { TalkItem, Words } from "./items.ts";
import { ResultCard } from "./ResultCard.tsx";

export interface FeedProps {
  items: TalkItem[];
  /** Words that are on their way to the server. */
  sending?: Words | null;
  /** Who is thinking now: "The patient". */
  thinking?: string;
  /** For what it waits, in a whole sentence, in place of who is thinking. */
  waiting?: string;
  onRead?: (item: string, words: string) => Promise<void>;
  /** The item to show and mark, by its id. */
  here?: string | null;
  /** Whether every bubble names its speaker; with two people, sides and colours are enough for the eye. */
  named?: boolean;
  label?: string;
  /** Whether it follows what is new, and tells it to screen readers. */
  live?: boolean;
  /** What stands above the first line and scrolls with it. */
  top?: ReactNode;
}

/** The conversation so far. It stays at the end while it is read there, and never jumps away from a reader. */
export function Feed({ items, sending, thinking, waiting, onRead, here, named = false, label, live = true, top }: FeedProps) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [below, setBelow] = useState(false);
  const count = items.length + (sending ? 1 : 0) + (thinking || waiting ? 1 : 0);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !live) return;
    if (atEnd.current) element.scrollTop = element.scrollHeight;
    else setBelow(true);
  }, [count, live]);

  // A picture that arrives, a window that changes: whoever reads at the end stays there.
  useEffect(() => {
    const element = box.current;
    if (!element || !live) return;
    const watch = new ResizeObserver(() => {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
    });
    for (const part of [element, ...element.children]) watch.observe(part);
    return () => watch.disconnect();
  }, [live]);

  useEffect(() => {
    if (!here) return;
    const item = box.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(here)}"]`);
    item?.scrollIntoView({ block: "center" });
    item?.focus({ preventScroll: true });
  }, [here]);

  const toEnd = () => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  return (
    <div
      className="feed-box"
      ref={box}
      onScroll={() => {
        const element = box.current!;
        atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 60;
        if (atEnd.current) setBelow(false);
      }}
    >
      {top}
      <ol className="feed" aria-label={label ?? "Conversation"} {...(live ? { "aria-live": "polite" as const, "aria-relevant": "additions" as const } : {})}>
        {items.map((item) => (
          <li key={item.id} data-item={item.id} tabIndex={-1} className={here === item.id ? "here" : ""}>
            <Item item={item} named={named} {...(onRead ? { onRead } : {})} />
          </li>
        ))}
        {sending && (
          <li key="sending">
            <Bubble words={sending} sending named={named} />
          </li>
        )}
      </ol>
      {(waiting || thinking) && <Thinking words={waiting || `${thinking} is thinking`} />}
      {below && (
        <Button className="round to-end" look="main" onPress={toEnd}>
          New lines below
        </Button>
      )}
    </div>
  );
}

export function Thinking({ words }: { words: string }) {
  return (
    <div className="feed" style={{ paddingTop: 0 }}>
      <div className="thinking" role="status">
        <Dots /> {words}
      </div>
    </div>
  );
}

function Item({
  item,
  named,
  onRead,
}: {
  item: TalkItem;
  named: boolean;
  onRead?: (item: string, words: string) => Promise<void>;
}): ReactNode {
  switch (item.kind) {
    case "words":
      return <Bubble words={item} named={named} />;
    case "act":
      return <p className="act-line">{visible(item.text)}</p>;
    case "result":
      return <ResultCard result={item} {...(onRead ? { onRead } : {})} />;
    case "notice":
      return (
        <p className="notice">
          <Icon name="warn" size={20} />
          <span>{visible(item.text)}</span>
        </p>
      );
    case "happening":
      return <p className="happening">{visible(item.text)}</p>;
    case "divider":
      return <p className="divider">{visible(item.text)}</p>;
  }
}
