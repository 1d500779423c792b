import { lazy } from "react";
import type { Route } from "#/app/route.ts";

export const routes: Route[] = [
  { path: "/watch/:run", screen: lazy(() => import("./floor/FloorScreen.tsx")) },
  { path: "/watch/:run/:n", screen: lazy(() => import("./player/PlayerScreen.tsx")) },
];
