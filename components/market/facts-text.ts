import {
  type AgentMarketFacts,
  ENOUGH_CALLS,
  type MarketFacts,
} from "@/lib/console/market-facts.ts";

/** Whether there were enough calls to say how a seller does. */
export const hasEnough = ({ calls }: Pick<MarketFacts, "calls">): boolean => calls >= ENOUGH_CALLS;

/** "Not enough calls yet: 3 of 20 in 30 days." */
export const tooFewText = ({ calls }: Pick<MarketFacts, "calls">): string =>
  `Not enough calls yet: ${calls} of ${ENOUGH_CALLS} in 30 days.`;

/** `99.6%`: cut, not rounded, so that it is 100 only when every call settled. */
export const shareText = ({ calls, settled }: Pick<MarketFacts, "calls" | "settled">): string =>
  `${Math.floor((settled * 1000) / calls) / 10}%`;

/** `420 ms`, `1.9 s` */
export const msText = (ms: number | undefined): string =>
  ms === undefined ? "–" : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;

/** The first letters of a name's first two words. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? "")
    .join("");

export const verifiedFirst = (agents: readonly AgentMarketFacts[]): AgentMarketFacts[] =>
  agents.toSorted((one, other) => Number(!one.domain) - Number(!other.domain));
