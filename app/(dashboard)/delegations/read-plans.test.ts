import { expect, test } from "vitest";
import { browser } from "@/app/_session/testing/browser.ts";
import { setRunning } from "@/lib/server/running.ts";
import { readOwnPlans } from "./read-plans.ts";

type Input = { planId?: string; limit?: number; cursor?: string };

/** An account that ordered this many plans, in the order of their ids. */
function signedIn(plans: number) {
  const planOf = (planId: string) => ({
    planId,
    metadata: {
      main: { name: `Plan ${planId}` },
      plan: { accessLimit: planId === "100" ? "time" : "credits" },
    },
    registry: {
      price: { isCrypto: false, amounts: ["5000000"], tokenAddress: "0x", currency: "USD" },
      credits: { amount: "100", minAmount: "1" },
    },
  });
  const subscriptions = Array.from({ length: plans }, (_, n) => ({
    planId: String(100 + n),
    available: String(n),
    lastOrderAt: new Date(1_000 * n).toISOString(),
  }));
  const list = ({ planId, limit = 10, cursor = "0" }: Input) => {
    const all = subscriptions.filter((each) => !planId || each.planId === planId);
    const end = Number(cursor) + limit;
    return {
      items: all.slice(Number(cursor), end),
      ...(all.length > end && { nextCursor: String(end) }),
    };
  };
  const at = new Date();
  const until = new Date(Date.now() + 60_000);
  const session = {
    account: "0xabc",
    method: "demo",
    seenAt: at,
    createdAt: at,
    now: at,
    expiresAt: until,
  };
  const running = {
    chain: { deployment: { usdc: undefined } },
    ports: {
      crypto: { digest: (text: string) => text },
      signIns: { findSession: async (hash: string) => ({ ...session, hash }) },
      accounts: { find: async (address: string) => ({ address, isOperator: false }) },
    },
    pipeline: {
      find: (name: string) => name,
      perform: async ({ operation, input }: { operation: string; input: Input }) =>
        operation === "getPlan" ? planOf(input.planId ?? "") : list(input),
    },
  };
  browser.cookie = "token";
  setRunning(Promise.resolve(running as never));
}

test("of many subscriptions those ordered last can be chosen, and those asked for", async () => {
  signedIn(230);
  const plans = await readOwnPlans(["101", "100"]);
  expect(plans).toHaveLength(52);
  expect(plans.slice(0, 3)).toMatchObject([
    { planId: "101", credits: "1", isTimePlan: false },
    { planId: "100", credits: "0", isTimePlan: true },
    { planId: "329", credits: "229", isTimePlan: false },
  ]);
});
