/** An endpoint to start from: the demo agent or one of the user's agents. */
export type Preset = {
  id: string;
  label: string;
  note?: string;
  method: string;
  url: string;
  body?: string;
  /** Its first offer and the account's balance, where both are known before a run. */
  offer?: { planId: string; plan: string; credits: string; left: string };
};
