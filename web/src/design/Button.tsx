import "./controls.css";
import type { ReactNode } from "react";
import { Button as Pressed, Link as Followed, type ButtonProps, type LinkProps } from "react-aria-components";

/** `main`: the one thing to do here. `plain`: any other. `quiet`: beside text. `final`: cannot be taken back. */
export type Look = "main" | "plain" | "quiet" | "final";

export function Button({ look = "plain", ...rest }: ButtonProps & { look?: Look; children?: ReactNode }) {
  return <Pressed {...rest} className={`button ${look} ${rest.className ?? ""}`} />;
}

/** A link that looks like a button: it leads to another address. */
export function LinkButton({ look = "plain", ...rest }: LinkProps & { look?: Look }) {
  return <Followed {...rest} className={`button ${look} ${rest.className ?? ""}`} />;
}
