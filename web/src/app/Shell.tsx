import "./shell.css";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { SignOut } from "./SignOut.tsx";
import { useTheme, type Theme } from "./theme.ts";

const DOORS = [
  ["/practise", "Practise"],
  ["/teach", "Teach"],
  ["/evaluate", "Evaluate"],
] as const;

/** The page around a screen: header with the three doors, the screen, and what Osler is for. */
export function Shell({ children }: { children: ReactNode }) {
  const [address] = useLocation();
  return (
    <div className="shell">
      <a className="skip" href="#content">
        To the content
      </a>
      <header className="top">
        <div className="inner">
          <Link href="/" className="name" aria-label="Osler, the front door">
            <Mark /> <b>Osler</b>
          </Link>
          <nav aria-label="Doors">
            {DOORS.map(([path, name]) => (
              <Link key={path} href={path} {...(address.startsWith(path) ? { "aria-current": "page" as const } : {})}>
                {name}
              </Link>
            ))}
          </nav>
          <div className="own">
            <SignOut />
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main id="content" className="page">
        {children}
      </main>
      <footer className="foot">
        Made by the Osler project, open source. For education and research only; no health service, and nobody here is
        a real patient. <Link href="/about">About Osler</Link>
      </footer>
    </div>
  );
}

export function Mark({ size = 30 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <rect width="32" height="32" rx="9" fill="#1b7268" />
      <circle cx="16" cy="16" r="7.5" fill="none" stroke="#fff" strokeWidth="4.5" />
    </svg>
  );
}

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const NAMES: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };

/** Colours: as the system, light, dark. */
export function ThemeSwitch() {
  const [now, choose] = useTheme();
  return (
    <Button
      look="quiet"
      className="theme"
      onPress={() => choose(NEXT[now])}
      aria-label={`Colours: ${NAMES[now]}. Change to ${NAMES[NEXT[now]]}`}
    >
      <Icon name={now} />
    </Button>
  );
}
