// All addresses of the application. Each door keeps its own list beside its screens.
import { lazy } from "react";
import { routes as evaluate } from "#/evaluate/routes.tsx";
import { routes as practise } from "#/practise/routes.tsx";
import { routes as teach } from "#/teach/routes.tsx";
import { routes as watch } from "#/watch/routes.tsx";
import type { Route } from "./route.ts";

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
