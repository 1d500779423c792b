// Light or dark: the system's wish, unless this browser was told otherwise.
import { useState } from "react";

export type Theme = "system" | "light" | "dark";
const KEPT = "osler.theme";

export function theme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(chosen: Theme = theme()): void {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function useTheme(): [Theme, (chosen: Theme) => void] {
  const [now, setNow] = useState(theme);
  const choose = (chosen: Theme) => {
    if (chosen === "system") localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, chosen);
    applyTheme(chosen);
    setNow(chosen);
  };
  return [now, choose];
}
