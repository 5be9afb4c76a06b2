/** An endpoint to start from: the demo agent, one of my agents, a run of before. */
export type Preset = {
  id: string;
  label: string;
  note?: string;
  method: string;
  url: string;
  body?: string;
  /** What its first offer asks, and what the account has left of it, where both are known before a run. */
  offer?: { planId: string; plan: string; credits: string; left: string };
};
