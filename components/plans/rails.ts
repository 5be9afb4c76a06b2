/** How a plan is paid. Apart from the drafts, so that lists carry no parser. */
export const RAILS = ["card", "stablecoin", "token", "native", "free"] as const;
export type Rail = (typeof RAILS)[number];

export const RAIL_WORDS: Record<Rail, string> = {
  card: "Card",
  stablecoin: "Stablecoin",
  token: "Other token",
  native: "Native",
  free: "Free",
};
