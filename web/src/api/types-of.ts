// Short names for the generated types.
import type { components } from "./types.ts";

export type Schemas = components["schemas"];
export type LogItem = Schemas["LogItem"];
export type SittingState = Schemas["SittingState"];
export type SittingLine = Schemas["SittingLine"];
export type Shelf = Schemas["Shelf"];
export type ShelfCase = Schemas["ShelfCase"];
export type SatDown = Schemas["SatDown"];
export type Left = Schemas["RemainingLimits"];
export type Concern = Schemas["Concern"];
export type Disclosure = Schemas["Disclosure"];
export type Orderable = Schemas["Orderable"];
export type Debriefing = Schemas["Debriefing"];
export type Section = Schemas["Section"];
export type Entry = Schemas["Entry"];
export type Contested = Schemas["Contested"];
/** A reply of a seat, as its protocol writes it. */
export type Move = Record<string, unknown>;
