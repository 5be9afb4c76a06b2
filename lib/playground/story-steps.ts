import type { MoneyStatus } from "@turnpike/payments/protocol";

/** The ten steps of a paid call, in order. */
export const STORY_STEPS = [
  { id: "plan", title: "Read the plan", about: "What it sells, at what price, and how you pay." },
  { id: "agent", title: "Find the agent", about: "The endpoint that the plan pays for." },
  { id: "order", title: "Order credits", about: "Only if the account has none left." },
  {
    id: "delegation",
    title: "Allow spending",
    about: "A delegation with a limit, an expiry and its own key.",
  },
  { id: "token", title: "Mint an access token", about: "Signed with that key, for this agent." },
  { id: "ask", title: "Request without payment", about: "The agent returns 402 with its offers." },
  { id: "verify", title: "Verify (dry run)", about: "Checks the token without using credits." },
  {
    id: "call",
    title: "Retry with payment",
    about: "The agent works while the credit is reserved.",
  },
  { id: "receipt", title: "Settlement and receipt", about: "Runs only after a 2xx response." },
  { id: "balance", title: "Compare the balance", about: "Ledger and receipt must match." },
] as const;

/** The step that sends the token: from here on, credits may be charged. */
export const PAYING_STEP = "call";

export type StoryStepId = (typeof STORY_STEPS)[number]["id"];

/** The outcome of one step: what happened, what it means, and what was checked. */
export type StoryStep = {
  id: StoryStepId;
  title: string;
  /** One or two sentences for display. */
  meaning: string;
  /** Whether every claim of this step was checked and is true. */
  ok: boolean;
  /** False for the steps after a failed one. */
  ran: boolean;
  durationMs: number;
  /** The agent's HTTP status, for the steps that call it. */
  status?: number;
  /** The payment status of the request, once known. */
  money?: MoneyStatus;
  facts: Record<string, string>;
  error?: string;
};
