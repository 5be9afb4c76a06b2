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
