import { expect, test } from "vitest";
import { STORY_STEPS, type StoryStep } from "@/lib/playground/story-steps.ts";
import { runStory, type StoryOptions } from "./story.ts";
import { createPretendService, type Faults, SANDBOX } from "./testing/story-fixture.ts";

async function play(faults: Faults = {}, options: Partial<StoryOptions> = {}) {
  const service = createPretendService(faults);
  const steps: StoryStep[] = [];
  const story = runStory({ sandbox: SANDBOX, fetch: service.fetch, ...options });
  for await (const step of story) steps.push(step);
  const stepOf = (id: string) => steps.find((step) => step.id === id) as StoryStep;
  return { steps, stepOf, service };
}

const brokenStep = (steps: StoryStep[]) => steps.find((step) => step.ran && !step.ok);

test("all ten steps pass in order against a correct service", async () => {
  const { steps, stepOf } = await play({ balances: { 3: 5n } }, { plan: "trial" });
  expect(steps.map(({ id, error }) => error ?? id)).toEqual(STORY_STEPS.map(({ id }) => id));
  expect(steps.every(({ ok, ran }) => ok && ran)).toBe(true);
  expect([stepOf("ask").status, stepOf("call").status]).toEqual([402, 200]);
  expect(stepOf("receipt").money).toBe("settled");
  expect(stepOf("balance").facts).toEqual({ before: "5", redeemed: "1", after: "4", receipt: "4" });
});

test("uses remaining credits before ordering", async () => {
  const { stepOf, service } = await play({ balances: { 3: 5n } }, { plan: "trial" });
  expect(stepOf("order").meaning).toBe("“Free trial” has 5 credits left, so no order was needed.");
  expect(stepOf("order").facts.ordered).toBe("no");
  expect(service.calls.some((call) => call.endsWith("/order"))).toBe(false);
});

test("orders the crypto plan first if no credits are left", async () => {
  const { stepOf } = await play();
  expect(stepOf("order").facts).toMatchObject({ kind: "crypto", ordered: "yes", balance: "100" });
  expect(stepOf("order").meaning).toBe(
    "Ordered “Starter” for 10.00 USDC: the account has 100 credits.",
  );
});

test.each(["rail_unavailable", "payment_refused"])(
  "falls back to the trial and says why when a crypto order fails with %s",
  async (code) => {
    const { stepOf } = await play({ refuses: { 1: code } });
    expect(stepOf("order").facts).toMatchObject({ kind: "trial", ordered: "yes" });
    expect(stepOf("order").facts.refused).toContain(`“Starter” (${code})`);
    expect(stepOf("balance").ok).toBe(true);
  },
);

test("does not replace a plan that was chosen", async () => {
  const { steps, stepOf } = await play({ refuses: { 1: "payment_refused" } }, { plan: "crypto" });
  expect(brokenStep(steps)?.id).toBe("order");
  expect(stepOf("order").error).toContain("payment_refused");
  expect(stepOf("order").meaning).toContain("Nothing was charged");
});

test("does not treat other errors as refusals", async () => {
  const { steps } = await play({ refuses: { 1: "conflict" } });
  expect(brokenStep(steps)).toMatchObject({ id: "order", facts: { code: "conflict" } });
});

test("reports the steps after a failed one as not run", async () => {
  const { steps } = await play({ balances: { 3: 5n }, unpaidStatus: 200 }, { plan: "trial" });
  expect(steps).toHaveLength(STORY_STEPS.length);
  expect(brokenStep(steps)).toMatchObject({
    id: "ask",
    meaning: "The endpoint responded without payment. It is not gated.",
  });
  expect(steps.slice(6).every(({ ok, ran }) => !ok && !ran)).toBe(true);
});

test.each<[string, Faults, string, string | undefined]>([
  ["no receipt after a 200", { receipt: "missing" }, "receipt", "delivered-unsettled"],
  ["an unreadable receipt", { receipt: "garbled" }, "receipt", "delivered-unsettled"],
  ["a receipt of a failed settlement", { receipt: "refused" }, "receipt", "delivered-unsettled"],
  ["a receipt for more than was verified", { receipt: "overstated" }, "receipt", undefined],
  ["a record that does not match", { moneyStatus: "unknown" }, "receipt", undefined],
  ["a balance that is too low", { leak: 1n }, "balance", undefined],
  ["a verify that uses credits", { verifyTakes: 1n }, "verify", undefined],
  ["a rejected token", { invalidReason: "expired_token" }, "verify", "refused"],
  ["an agent that rejects the token", { paidStatus: 402 }, "call", "refused"],
  ["an agent that fails", { paidStatus: 500 }, "call", "unknown"],
  ["an unreachable agent", { agentDown: true }, "ask", undefined],
])("%s fails the story at its step", async (_, faults, id, money) => {
  const { steps } = await play({ balances: { 3: 5n }, ...faults }, { plan: "trial" });
  const broken = brokenStep(steps);
  expect([broken?.id, broken?.money]).toEqual([id, money]);
  expect(broken?.error).toBeTruthy();
});

test("accounts for credits that other calls used meanwhile", async () => {
  const { stepOf } = await play({ balances: { 3: 9n }, leak: 2n, others: "2" }, { plan: "trial" });
  expect(stepOf("balance")).toMatchObject({ ok: true, facts: { elsewhere: "2", after: "6" } });
  expect(stepOf("balance").meaning).toContain("Other calls used 2 credits meanwhile.");
});

test("accounts for credits that another order added meanwhile", async () => {
  const { stepOf } = await play(
    { balances: { 3: 9n }, leak: -100n, bought: 100n },
    { plan: "trial" },
  );
  expect(stepOf("balance")).toMatchObject({ ok: true, facts: { after: "108", receipt: "8" } });
  expect(stepOf("balance").meaning).toContain("Other orders added 100 credits meanwhile.");
});

test("does not excuse added credits that no other order explains", async () => {
  const { steps } = await play(
    { balances: { 3: 9n }, leak: -100n, bought: 99n },
    { plan: "trial" },
  );
  expect(brokenStep(steps)?.id).toBe("balance");
});

test("does not excuse a difference that other calls do not explain", async () => {
  const { steps } = await play({ balances: { 3: 9n }, leak: 2n, others: "1" }, { plan: "trial" });
  expect(brokenStep(steps)?.id).toBe("balance");
});

test("a stopped story plays no more steps", async () => {
  const stop = new AbortController();
  const service = createPretendService({ balances: { 3: 5n } });
  const ids: string[] = [];
  const options = { sandbox: SANDBOX, plan: "trial", signal: stop.signal } as const;
  for await (const { id } of runStory({ ...options, fetch: service.fetch })) {
    ids.push(id);
    if (id === "token") stop.abort();
  }
  expect(ids.at(-1)).toBe("token");
  expect(service.balances[3]).toBe(5n);
});

test("the facts contain no keys or tokens", async () => {
  const { steps } = await play();
  const told = JSON.stringify(steps);
  expect(told).not.toContain(SANDBOX.subscriber.apiKey);
  expect(told).not.toContain(SANDBOX.builder.apiKey);
  expect(told).not.toMatch(/eyJ[A-Za-z0-9+/=]{60}/);
});
