// Dragging, pinching and zooming the picture by mouse, finger or pen. A press without a drag stays a click.

export interface Grip {
  move: (dx: number, dy: number) => void;
  zoom: (by: number, x: number, y: number) => void;
}

const CLICK_PX = 5;

/** Listens on an element; the answer stops it. */
export function drags(element: HTMLElement, grip: Grip): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  let dragged = 0;
  const place = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    if (!pointers.size) dragged = 0;
    pointers.set(event.pointerId, place(event));
  };
  const move = (event: PointerEvent) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (!other && dragged + Math.hypot(dx, dy) < CLICK_PX) return;
    dragged += Math.hypot(dx, dy);
    if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, now);
    if (other) {
      const span = Math.hypot(before.x - other.x, before.y - other.y) || 1;
      grip.zoom(Math.hypot(now.x - other.x, now.y - other.y) / span, (now.x + other.x) / 2, (now.y + other.y) / 2);
      grip.move(dx / 2, dy / 2);
    } else grip.move(dx, dy);
  };
  const up = (event: PointerEvent) => void pointers.delete(event.pointerId);
  const click = (event: MouseEvent) => {
    if (dragged >= CLICK_PX) event.stopPropagation();
    dragged = 0;
  };
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return; // without a key, the page scrolls
    event.preventDefault();
    const { x, y } = place(event);
    grip.zoom(Math.exp(-event.deltaY / 300), x, y);
  };
  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener("click", click, true);
  element.addEventListener("wheel", wheel, { passive: false });
  return () => {
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", up);
    element.removeEventListener("click", click, true);
    element.removeEventListener("wheel", wheel);
  };
}
