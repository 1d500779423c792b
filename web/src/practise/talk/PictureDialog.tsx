import "./talk.css";
import { useRef, useState, type PointerEvent } from "react";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Icon } from "#/design/Icon.tsx";
import { visible } from "#/design/text.ts";

const STEP = 1.4;
const MOST = 6;

/** A picture that fills the screen, with buttons to zoom; scroll, drag or use the arrows to move about. */
export function PictureDialog({
  name,
  picture,
  open,
  onClose,
}: {
  name: string;
  picture: string;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog open={open} onClose={onClose} heading={visible(name)} whole>
      <Picture name={name} picture={picture} />
    </Dialog>
  );
}

function Picture({ name, picture }: { name: string; picture: string }) {
  const room = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState<{ whole: number; fill: number } | null>(null); // widths in pixels
  const [zoom, setZoom] = useState(1); // of the whole picture in view
  const loaded = (image: HTMLImageElement) => {
    const { clientWidth: across, clientHeight: down } = room.current!;
    const shape = image.naturalWidth / Math.max(1, image.naturalHeight);
    const [whole, fill] = [Math.min(across, down * shape), Math.max(across, down * shape)];
    setFits({ whole, fill });
    // Large first where the whole would be small, as a tracing is on a phone.
    setZoom(fill < whole * 1.3 ? 1 : Math.min(fill / whole, MOST));
  };
  const to = (now: number) => {
    const box = room.current!;
    const [x, y] = [(box.scrollLeft + box.clientWidth / 2) / box.scrollWidth, (box.scrollTop + box.clientHeight / 2) / box.scrollHeight];
    setZoom(Math.min(MOST, Math.max(1, now)));
    window.requestAnimationFrame(() => {
      box.scrollLeft = x * box.scrollWidth - box.clientWidth / 2;
      box.scrollTop = y * box.scrollHeight - box.clientHeight / 2;
    });
  };
  const drag = (event: PointerEvent) => {
    if (event.pointerType !== "mouse" || event.buttons !== 1) return; // a finger scrolls by itself
    room.current!.scrollBy(-event.movementX, -event.movementY);
  };
  return (
    <div className="picture-whole">
      {/* Never disabled: a button that loses the focus would take Escape with it. */}
      <div className="row">
        <Button onPress={() => to(zoom / STEP)} aria-label="Smaller">
          <Icon name="minus" />
        </Button>
        <Button onPress={() => to(zoom * STEP)} aria-label="Larger">
          <Icon name="plus" />
        </Button>
        <Button onPress={() => to(1)}>Whole picture</Button>
        <span className="unseen" role="status">
          {Math.round(zoom * 100)} %
        </span>
      </div>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keyboard */}
      <div className="picture-room" ref={room} tabIndex={0} role="region" aria-label={`${visible(name)}, picture`} onPointerMove={drag}>
        <img
          src={picture}
          alt={`${visible(name)}, without a report`}
          draggable={false}
          onLoad={(event) => loaded(event.currentTarget)}
          style={fits ? { width: `${Math.round(fits.whole * zoom)}px` } : { width: "100%" }}
        />
      </div>
    </div>
  );
}
