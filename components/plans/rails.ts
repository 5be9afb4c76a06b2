/** How a plan is paid. Separate from the drafts, so that lists do not load their parsers. */
export const RAILS = ["card", "stablecoin", "token", "native", "free"] as const;
export type Rail = (typeof RAILS)[number];

export const RAIL_WORDS: Record<Rail, string> = {
  card: "Card",
  stablecoin: "Stablecoin",
  token: "Other token",
  native: "Native token",
  free: "Free",
};
