// Short names for what a choreography holds, as the server sends it.
import type { components } from "#/api/types.ts";

type Schemas = components["schemas"];
export type Choreography = Schemas["Choreography"];
export type Actor = Schemas["Actor"];
export type Scene = Schemas["Scene"];
export type Bubble = Schemas["Bubble"];
export type Caption = Schemas["Caption"];
export type Card = Schemas["Card"];
export type Slip = Schemas["Slip"];
export type Lock = Schemas["Lock"];
export type Monitor = Schemas["Monitor"];
