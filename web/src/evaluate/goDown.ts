/** Goes to a part of this page by its id: in sight from its beginning, and where the keyboard goes on. */
export function goDown(id: string) {
  const part = document.getElementById(id);
  part?.focus({ preventScroll: true });
  part?.scrollIntoView();
}
