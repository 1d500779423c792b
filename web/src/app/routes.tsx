// All addresses of the application. Each door keeps its own list beside its screens.
import { lazy, type ComponentType } from "react";
import { routes as evaluate } from "#/evaluate/routes.tsx";
import { routes as practise } from "#/practise/routes.tsx";
import { routes as teach } from "#/teach/routes.tsx";
import { routes as watch } from "#/watch/routes.tsx";

/** One address: a path as wouter writes it ("/practise/:sitting"), and its screen, loaded when first needed.
 * `bare` screens fill the window themselves, without the page's header and margins. */
export interface Route {
  path: string;
  screen: ComponentType;
  bare?: boolean;
}

export const ROUTES: Route[] = [
  { path: "/", screen: lazy(() => import("./FrontDoor.tsx")) },
  { path: "/tour", screen: lazy(() => import("#/tour/Tour.tsx")) },
  { path: "/design", screen: lazy(() => import("#/design/page/DesignPage.tsx")) },
  ...practise,
  ...teach,
  ...evaluate,
  ...watch,
  { path: "/enter", screen: lazy(() => import("./EnterScreen.tsx")) },
  { path: "/about", screen: lazy(() => import("./About.tsx")) },
];
