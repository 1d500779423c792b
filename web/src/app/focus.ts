/** Moves the focus to the screen's heading, from where a keyboard or a screen reader goes on. */
export function focusHeading(): boolean {
  const heading = document.querySelector("h1");
  if (!heading) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}
