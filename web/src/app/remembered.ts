// What this browser remembers of a visitor: drafts in the window, names and choices in the browser.
const OF_THE_BROWSER = ["osler.theme", "osler.keys"];

/** Removes all of it but what is about the browser: its colours, and whether keys are on. */
export function forgetVisitor(): void {
  sessionStorage.clear();
  for (const key of Object.keys(localStorage)) if (!OF_THE_BROWSER.includes(key)) localStorage.removeItem(key);
}
