// The states a screen can be in when it is not simply there: empty, loading, thinking, fault, paused, offline.
import "./surfaces.css";
import type { ReactNode } from "react";
import { Problem, Withdrawal } from "#/api/client.ts";
import { Button } from "./Button.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import { visible } from "./text.ts";

export function Empty({ icon = "help", heading, children }: { icon?: IconName; heading: string; children?: ReactNode }) {
  return (
    <div className="state">
      <Icon name={icon} size={40} />
      <h2>{heading}</h2>
      {children}
    </div>
  );
}

export function Loading({ children = "One moment" }: { children?: ReactNode }) {
  return (
    <div className="state" role="status">
      <Dots />
      <p className="soft">{children}</p>
    </div>
  );
}

export function Dots() {
  return (
    <span className="dots" aria-hidden>
      <i />
      <i />
      <i />
    </span>
  );
}

/** What went wrong, where, and what to do about it, with a way to try again. */
export function Fault({ error, again, heading }: { error: unknown; again?: () => void; heading?: string }) {
  const { what, where, mend } = problemOf(error);
  return (
    <div className="state" role="alert">
      <Icon name={error instanceof Problem && error.offline ? "offline" : "warn"} size={40} />
      <h2>{heading ?? (error instanceof Withdrawal ? "This can no longer be shown" : "This did not work")}</h2>
      <p>{visible(what)}</p>
      {where && <p className="soft small">{visible(where)}</p>}
      {mend && <p>{visible(mend)}</p>}
      {again && (
        <Button onPress={again}>
          <Icon name="again" /> Try again
        </Button>
      )}
    </div>
  );
}

export function problemOf(error: unknown): { what: string; where: string; mend: string } {
  if (error instanceof Problem) return error;
  return { what: error instanceof Error ? error.message : String(error), where: "", mend: "Reload the page." };
}

/** A strip at the top: the encounter stands still, and why. */
export function PausedBar({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="bar" role="status">
      <Icon name="pause" size={20} />
      <span>{children}</span>
      {action}
    </div>
  );
}

export function OfflineBar() {
  return (
    <div className="bar bad" role="status">
      <Icon name="offline" size={20} />
      <span>The server cannot be reached. Nothing is lost; it is tried again by itself.</span>
    </div>
  );
}

export function WarnBar({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="bar" role="status">
      <Icon name="warn" size={20} />
      <span>{children}</span>
      {action}
    </div>
  );
}
