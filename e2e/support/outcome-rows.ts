import type { Page } from "@playwright/test";
import { decodeAccessToken } from "@turnpike/payments/protocol";
import type { World } from "./outcome-world.ts";
import { expect } from "./test.ts";

/** How long a payment status may take to appear. */
export const MONEY_TIMEOUT_MS = 60_000;

/** Where a button leads: a URL, or a check of the page. */
type Leads = RegExp | ((page: Page, world: World, seenBefore: number) => Promise<void>);

/** The outcome of a run against a path of the agent, and where its button leads. */
export type Row = {
  name: string;
  path: string;
  /** The token to paste; minted by the run if left out. */
  token?: (world: World) => Promise<string>;
  /** The delegation to choose under Token. */
  delegation?: (world: World) => Promise<{ id: string; end: () => Promise<unknown> }>;
  step: number;
  status: "ok" | "warn" | "error" | "skipped";
  outcome: string;
  reason?: string;
  money: string;
  verdict: (world: World) => string | RegExp;
  /** The sentence of the whole run, where it differs from the step's. */
  summary?: string;
  action: [label: string | RegExp, leads: Leads];
};

const asksAgain = async (page: Page, { agent }: World, seenBefore: number) => {
  await expect.poll(() => agent.seen.length).toBeGreaterThan(seenBefore);
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
};
const runsAgain: Leads = async (page, world, seenBefore) => {
  await asksAgain(page, world, seenBefore);
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "ok");
};
/** The pasted token is gone, and one is minted for the account. */
const mints: Leads = async (page, world, seenBefore) => {
  await asksAgain(page, world, seenBefore);
  await expect(page.getByTestId("pg-step-3")).toHaveAttribute("data-outcome", "ready");
};
const showsAgentAuth: Leads = async (page) => {
  await expect(page.getByRole("tab", { name: "Auth", selected: true })).toBeVisible();
};
const mint = async ({ buyer, plans }: World, options = {}) =>
  (await buyer.x402.getX402AccessToken(plans.owned, null, options)).accessToken;

/** Waits until a token has expired. */
async function untilExpired(token: string): Promise<void> {
  const expiresAt = decodeAccessToken(token)?.payload.authorization.exp ?? 0;
  await expect.poll(() => Date.now() / 1000).toBeGreaterThan(expiresAt + 1);
}

type Ending = Pick<Row, "step" | "status" | "outcome" | "reason" | "money">;

/** No token could be minted: the run stops at step 3. */
const stopped = (outcome: string): Ending => ({
  step: 3,
  status: "error",
  outcome,
  money: "challenged",
});
/** The service declines the token. */
const refusedFor = (reason: string): Ending => ({
  step: 4,
  status: "error",
  outcome: reason,
  reason,
  money: "refused",
});
/** The agent did not do the work although the token is valid. */
const answered = (outcome: string, money: string): Ending => ({
  step: 5,
  status: "error",
  outcome,
  money,
});
const SETTLED: Ending = { step: 6, status: "ok", outcome: "settled", money: "settled" };
const RUNS_AGAIN: Row["action"] = ["Run again", runsAgain];
const OPENS_RECEIPT: Row["action"] = ["Open receipt", /^\/activity\/req_/];
const OPENS_ACTIVITY: Row["action"] = [
  "Open activity",
  /^\/activity\?role=subscriber(&range=24h)?$/,
];

export const OUTCOMES: Row[] = [
  {
    name: "settled",
    path: "/sound",
    ...SETTLED,
    verdict: () => /^1 credit used, \d+ left\. The receipt matches the balance\.$/,
    action: OPENS_RECEIPT,
  },
  {
    name: "not subscribed",
    path: "/fresh",
    ...stopped("not-subscribed"),
    verdict: () => "You have not ordered this plan yet.",
    action: ["Order plan", /^\/checkout\/\d+$/],
  },
  {
    name: "delegation revoked",
    path: "/sound",
    delegation: async ({ buyer, kind }) => {
      const provider = kind === "card" ? "card-processor" : "erc4337";
      const name = `Ends at once, ${kind} ${Date.now()}`;
      const terms = { provider, spendingLimitCents: 1000n, durationSecs: 3600, name };
      const { delegationId } = await buyer.delegation.createDelegation(terms);
      return { id: name, end: () => buyer.delegation.revokeDelegation(delegationId) };
    },
    ...stopped("delegation-ended"),
    verdict: () => /^The delegation cannot be used: The delegation is revoked\. /,
    action: ["New delegation", /^\/delegations\/new$/],
  },
  {
    name: "malformed token",
    path: "/sound",
    token: async () => "garbage",
    ...refusedFor("invalid_token"),
    verdict: () => "This access token cannot be read.",
    action: ["Mint new token", mints],
  },
  {
    name: "expired token",
    path: "/sound",
    token: async (world) => {
      const token = await mint(world, { delegationConfig: { durationSecs: 1 } });
      await untilExpired(token);
      return token;
    },
    ...refusedFor("expired_token"),
    verdict: () => "This access token has expired. No credits were used.",
    action: ["Mint new token", mints],
  },
  {
    name: "token without credits or the right to buy them",
    path: "/fresh",
    token: async ({ buyer, plans }) =>
      (
        await buyer.x402.getX402AccessToken(plans.fresh, null, {
          delegationConfig: { spendingLimitCents: 1n },
        })
      ).accessToken,
    ...refusedFor("insufficient_balance"),
    verdict: ({ names }) => `0 credits left on “${names.fresh}”. This call needs 1.`,
    action: ["Buy credits", /^\/checkout\/\d+$/],
  },
  {
    name: "token of another plan",
    path: "/sound",
    token: async ({ buyer, plans }) =>
      (await buyer.x402.getX402AccessToken(plans.other)).accessToken,
    ...refusedFor("invalid_plan"),
    verdict: ({ names }) =>
      `This token is for “${names.other}”. The endpoint requires “${names.owned}”.`,
    action: [/^Use a “Outcomes by (crypto|card)” token$/, mints],
  },
  {
    name: "token of another endpoint",
    path: "/sound",
    token: (world) => mint(world, { resource: "http://127.0.0.1/elsewhere" }),
    ...refusedFor("invalid_agent"),
    verdict: () => "This token is for another agent.",
    action: ["Mint for this agent", mints],
  },
  {
    name: "402 again",
    path: "/again",
    ...answered("refused-again", "refused"),
    verdict: () => "402 again: the agent gave no reason.",
    action: ["Mint new token", mints],
  },
  {
    name: "401 with a token",
    path: "/denied",
    ...answered("token-not-accepted", "refused"),
    verdict: () => "The agent accepted neither the token nor its own credentials.",
    action: ["Mint new token", mints],
  },
  {
    name: "401 with a token, and the agent auth is checked",
    path: "/denied",
    ...answered("token-not-accepted", "refused"),
    verdict: () => "The agent accepted neither the token nor its own credentials.",
    action: ["Check agent auth", showsAgentAuth],
  },
  {
    name: "agent fails behind its gate",
    path: "/fails",
    ...answered("agent-failed", "not-charged"),
    verdict: () => "The agent failed. The call was not charged.",
    summary: "The agent failed before payment. No settlement was made.",
    action: RUNS_AGAIN,
  },
  {
    name: "agent fails, and the charge is not confirmed",
    path: "/broken",
    ...answered("agent-failed-unknown", "unknown"),
    verdict: () => "The agent failed. The service has not confirmed whether you were charged.",
    action: OPENS_ACTIVITY,
  },
  {
    name: "agent rejects the request",
    path: "/refuses",
    ...answered("agent-refused", "not-charged"),
    verdict: () => "The agent rejected the request. The call was not charged.",
    action: RUNS_AGAIN,
  },
  {
    name: "gate cannot verify",
    path: "/unavailable",
    ...answered("gate-unavailable", "not-charged"),
    verdict: () => "The agent’s gate could not verify the token. The agent did not run.",
    action: RUNS_AGAIN,
  },
  {
    name: "connection breaks with the token sent",
    path: "/dropped",
    ...answered("lost-answer", "unknown"),
    verdict: () => "The outcome is unknown. Don’t pay again yet.",
    action: ["Check status", /^\/activity\?role=subscriber(&range=24h)?$/],
  },
  {
    name: "streaming",
    path: "/stream",
    ...SETTLED,
    verdict: () => /^1 credit used, \d+ left\. The receipt matches the balance\.$/,
    action: OPENS_RECEIPT,
  },
  {
    name: "2xx without receipt",
    path: "/bare",
    step: 6,
    status: "warn",
    outcome: "delivered-unsettled",
    money: "delivered-unsettled",
    verdict: () =>
      "You have the response, but payment was not confirmed. Credits may still be charged later.",
    action: OPENS_ACTIVITY,
  },
  {
    name: "receipt says declined",
    path: "/refused-receipt",
    step: 6,
    status: "error",
    outcome: "receipt-refused",
    reason: "insufficient_balance",
    money: "delivered-unsettled",
    verdict: () => "Payment was declined: Not enough credits. The service reports no credits used.",
    action: ["Open reconciliation", /^\/activity\/reconcile$/],
  },
  {
    name: "receipt that cannot be read",
    path: "/garbled-receipt",
    step: 6,
    status: "warn",
    outcome: "receipt-unreadable",
    money: "unknown",
    verdict: () => "The payment-response header cannot be read.",
    action: OPENS_ACTIVITY,
  },
];

/** Changes the account's credits, so it comes last. */
export const TOP_UP: Row = {
  name: "insufficient credits, and the token may order",
  path: "/fresh",
  token: async ({ buyer, plans }) => (await buyer.x402.getX402AccessToken(plans.fresh)).accessToken,
  ...SETTLED,
  verdict: () => "1 credit used, 49 left. The receipt matches the balance.",
  action: OPENS_RECEIPT,
};
