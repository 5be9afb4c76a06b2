/** The failure lab's plans: what each is for stands where it is registered. */
export const LAB_PLANS = ["calls", "other", "once", "late", "changing", "card"] as const;
export type LabPlan = (typeof LAB_PLANS)[number];

/** Where the lab's agent answers, and how it misbehaves there. `other` belongs to another agent. */
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

/** The lab of a sandbox, as a page needs it. `url` is the origin of its agents. */
export type LabPlaces = {
  plans: Record<LabPlan, string>;
  agentId: string;
  otherAgentId: string;
  url: string;
};
