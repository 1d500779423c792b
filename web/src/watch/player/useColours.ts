// Whether the page is light or dark just now: by its switch, else by the system.
import { useSyncExternalStore } from "react";
import type { Theme } from "#/hospital/art/contract.ts";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function now(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

function subscribe(tell: () => void): () => void {
  const observer = new MutationObserver(tell);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  dark.addEventListener("change", tell);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", tell);
  };
}

export const useColours = () => useSyncExternalStore(subscribe, now);
