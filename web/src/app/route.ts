// An address of the application.
import type { ComponentType } from "react";

/** One address: a path as wouter writes it ("/practise/:sitting"), and its screen, loaded when first needed.
 * `bare` screens fill the window themselves, without the page's header and margins. */
export interface Route {
  path: string;
  screen: ComponentType;
  bare?: boolean;
}
