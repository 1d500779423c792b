// What can be done with somebody in the picture: look through their eyes, take their seat.
import { useEffect, useRef } from "react";
import { Button } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import type { Box } from "#/hospital/camera.ts";

export interface PersonMenuProps {
  name: string;
  box: Box;
  onEyes: (() => void) | null;
  onSeat: (() => void) | null;
  onFollow: () => void;
  onClose: () => void;
}

export function PersonMenu({ name, box, onEyes, onSeat, onFollow, onClose }: PersonMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    menu.current?.querySelector("button")?.focus();
    const away = (event: Event) => !menu.current?.contains(event.target as Node) && latest.current();
    const key = (event: KeyboardEvent) => event.key === "Escape" && latest.current();
    document.addEventListener("pointerdown", away);
    document.addEventListener("keydown", key);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("keydown", key);
    };
  }, []);
  const act = (what: () => void) => () => {
    latest.current();
    what();
  };
  useEffect(() => {
    const element = menu.current;
    const within = element?.parentElement;
    if (!element || !within) return;
    const x = Math.max(8, Math.min(box.x + box.width + 8, within.clientWidth - element.offsetWidth - 8));
    const y = Math.max(8, Math.min(box.y, within.clientHeight - element.offsetHeight - 8));
    element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }, [box]);
  return (
    <div className="person-menu" role="dialog" aria-label={name} ref={menu}>
      <b>{name}</b>
      {onEyes && (
        <Button look="quiet" onPress={act(onEyes)}>
          <Icon name="search" size={18} /> See through these eyes
        </Button>
      )}
      {onSeat && (
        <Button look="quiet" onPress={act(onSeat)}>
          <Icon name="chair" size={18} /> Take this seat
        </Button>
      )}
      <Button look="quiet" onPress={act(onFollow)}>
        <Icon name="next" size={18} /> Follow with the camera
      </Button>
    </div>
  );
}
