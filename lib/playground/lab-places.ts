/** How the lab's plans are paid: on-chain or by card. */
export const RAILS = ["crypto", "card"] as const;
export type Rail = (typeof RAILS)[number];

const PURPOSES = ["calls", "other", "once", "late", "changing"] as const;
type Purpose = (typeof PURPOSES)[number];

/** The failure lab's plans, one of each kind per rail. No one holds credits of `card`: every call tops up. */
export type LabPlan = Purpose | "card" | `card-${Purpose}`;
export const LAB_PLANS: readonly LabPlan[] = [
  ...PURPOSES,
  "card",
  ...PURPOSES.map((purpose) => `card-${purpose}` as const),
];

/** A plan as faults name it, on either rail. */
export type FaultPlan = Purpose | "card";

export const planOn = (rail: Rail, plan: FaultPlan): LabPlan =>
  rail === "card" && plan !== "card" ? `card-${plan}` : plan;

/** Paths of the lab's agent, named after how it misbehaves there. `other` belongs to another agent. */
export const LAB_PATHS = {
  ask: "/lab/ask",
  fail: "/lab/fail",
  slow: "/lab/slow",
  stream: "/lab/stream",
  late: "/lab/late",
  once: "/lab/once",
  card: "/lab/card",
  changing: "/lab/changing",
  other: "/lab/other",
} as const;
export type LabPath = keyof typeof LAB_PATHS;

/** Paths of the lab's seller by `exact`, named after what it does with a payment. */
export const EXACT_PATHS = {
  sells: "/lab/exact/sells",
  overpriced: "/lab/exact/overpriced",
  brief: "/lab/exact/brief",
  fails: "/lab/exact/fails",
  silent: "/lab/exact/silent",
  denies: "/lab/exact/denies",
  forgets: "/lab/exact/forgets",
  drops: "/lab/exact/drops",
  stalls: "/lab/exact/stalls",
  amount: "/lab/exact/amount",
  recipient: "/lab/exact/recipient",
  pretends: "/lab/exact/pretends",
  twice: "/lab/exact/twice",
} as const;
export type ExactPath = keyof typeof EXACT_PATHS;

export const pathOn = (rail: Rail, path: LabPath): string =>
  rail === "card" && path !== "card"
    ? LAB_PATHS[path].replace("/lab/", "/lab/by-card/")
    : LAB_PATHS[path];

/** The failure lab of a sandbox. `url` is the origin of its agents. */
export type LabPlaces = {
  plans: Record<LabPlan, string>;
  agentId: string;
  otherAgentId: string;
  url: string;
};

/** Where the sellers of the stock x402 middleware are, on the demo agent's port too. */
export const FOREIGN_PATHS = { hono: "/foreign/hono", express: "/foreign/express" } as const;
