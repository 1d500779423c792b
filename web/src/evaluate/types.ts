// Short names for the generated types of runs, episodes, requests and comparisons.
import type { components } from "#/api/types.ts";

type Schemas = components["schemas"];
export type RunLine = Schemas["RunLine"];
export type RunDetail = Schemas["RunDetail"];
export type RunFigures = Schemas["RunFigures"];
export type Figure = Schemas["Figure"];
export type Setting = Schemas["Setting"];
export type Facets = Schemas["Facets"];
export type FailureFacets = Schemas["FailureFacets"];
export type FoundPage = Schemas["FoundPage"];
export type FoundWords = Schemas["FoundWords"];
export type EpisodeLine = Schemas["EpisodeLine"];
export type EpisodePage = Schemas["EpisodePage"];
export type EpisodeDetail = Schemas["EpisodeDetail"];
export type Judged = Schemas["Judged"];
export type Verdict = Schemas["Verdict"];
export type Quote = Schemas["Quote"];
export type ExchangeLine = Schemas["ExchangeLine"];
export type ExchangeDetail = Schemas["ExchangeDetail"];
export type Call = Schemas["Call"];
export type Attempt = Schemas["Attempt"];
export type InnerExchange = Schemas["InnerExchange"];
export type Compared = Schemas["Compared"];
export type Side = Schemas["Side"];
export type Beside = Schemas["Beside"];
export type ScorePair = Schemas["ScorePair"];
export type Desks = Schemas["Desks"];
export type Estimate = Schemas["Estimate"];
export type StartForm = Schemas["StartForm"];
export type ProtocolChoice = Schemas["ProtocolChoice"];
export type SeatChoice = Schemas["SeatChoice"];
export type RunPlan = Schemas["RunPlan"];
export type Estimated = Schemas["Estimated"];
export type Started = Schemas["Started"];
export type TurnTaken = Schemas["TurnTaken"];
export type Branched = Schemas["Branched"];
export type Line = Schemas["Line"];
export type LogItem = Schemas["LogItem"];
export type Log = Schemas["Log"];
export interface Pages<T> {
  items: T[];
  next: string | null;
  total: number | null;
}
