import { lazy } from "react";
import type { Route } from "#/app/route.ts";

export const routes: Route[] = [
  { path: "/teach", screen: lazy(() => import("./rooms/RoomsScreen.tsx")) },
  { path: "/teach/new", screen: lazy(() => import("./rooms/NewRoomScreen.tsx")) },
  { path: "/teach/rooms/:room", screen: lazy(() => import("./board/BoardScreen.tsx")) },
  { path: "/teach/rooms/:room/read/:sitting", screen: lazy(() => import("./board/ReadScreen.tsx")) },
  { path: "/teach/rooms/:room/show/:sitting", screen: lazy(() => import("./board/ShowScreen.tsx")) },
  { path: "/teach/rooms/:room/sheet/:sitting", screen: lazy(() => import("./marks/SheetScreen.tsx")) },
  { path: "/teach/rooms/:room/results", screen: lazy(() => import("./marks/ResultsScreen.tsx")) },
  { path: "/teach/rooms/:room/assess/:sitting", screen: lazy(() => import("./group/AssessScreen.tsx")) },
  { path: "/teach/rooms/:room/answers", screen: lazy(() => import("./group/AnswersScreen.tsx")) },
  { path: "/join", screen: lazy(() => import("./join/CodeScreen.tsx")) },
  { path: "/join/:code", screen: lazy(() => import("./join/JoinScreen.tsx")) },
  { path: "/join/:code/follow/:group", screen: lazy(() => import("./group/OpenScreen.tsx")) },
  { path: "/join/:code/assess/:group", screen: lazy(() => import("./group/AssessorScreen.tsx")) },
];
