import { expect, test } from "vitest";
import { runStory, type StoryOptions } from "./story.ts";
import { STORY_STEPS, type StoryStep } from "./story-step.ts";
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

test("a sound service holds all ten steps, in order", async () => {
  const { steps, stepOf } = await play({ balances: { 3: 5n } }, { plan: "trial" });
  expect(steps.map(({ id, error }) => error ?? id)).toEqual(STORY_STEPS.map(({ id }) => id));
  expect(steps.every(({ ok, ran }) => ok && ran)).toBe(true);
  expect([stepOf("ask").status, stepOf("call").status]).toEqual([402, 200]);
  expect(stepOf("receipt").money).toBe("settled");
  expect(stepOf("balance").facts).toEqual({ before: "5", redeemed: "1", after: "4", receipt: "4" });
});

test("credits that are there are used before anything is ordered", async () => {
  const { stepOf, service } = await play({ balances: { 3: 5n } }, { plan: "trial" });
  expect(stepOf("order").meaning).toBe("‘Free trial’ has 5 credits left, so nothing is ordered.");
  expect(stepOf("order").facts.ordered).toBe("no");
  expect(service.calls.some((call) => call.endsWith("/order"))).toBe(false);
});

test("the crypto plan is ordered first when nothing is left", async () => {
  const { stepOf } = await play();
  expect(stepOf("order").facts).toMatchObject({ kind: "crypto", ordered: "yes", balance: "100" });
  expect(stepOf("order").meaning).toBe(
    "Ordered ‘Starter’ for 10.00 USDC: 100 credits are on the account.",
  );
});

test.each(["rail_unavailable", "payment_refused"])(
  "a crypto order refused with %s falls back to the trial and says why",
  async (code) => {
    const { stepOf } = await play({ refuses: { 1: code } });
    expect(stepOf("order").facts).toMatchObject({ kind: "trial", ordered: "yes" });
    expect(stepOf("order").facts.refused).toContain(`‘Starter’ (${code})`);
    expect(stepOf("balance").ok).toBe(true);
  },
);

test("a plan that was asked for is not replaced by another", async () => {
  const { steps, stepOf } = await play({ refuses: { 1: "payment_refused" } }, { plan: "crypto" });
  expect(brokenStep(steps)?.id).toBe("order");
  expect(stepOf("order").error).toContain("payment_refused");
  expect(stepOf("order").meaning).toContain("Nothing was charged");
});

test("an error that is no refusal is not taken for one", async () => {
  const { steps } = await play({ refuses: { 1: "conflict" } });
  expect(brokenStep(steps)).toMatchObject({ id: "order", facts: { code: "conflict" } });
});

test("the steps after a broken one are told as not run", async () => {
  const { steps } = await play({ balances: { 3: 5n }, unpaidStatus: 200 }, { plan: "trial" });
  expect(steps).toHaveLength(STORY_STEPS.length);
  expect(brokenStep(steps)).toMatchObject({
    id: "ask",
    meaning: "This endpoint answered for free. It is not gated.",
  });
  expect(steps.slice(6).every(({ ok, ran }) => !ok && !ran)).toBe(true);
});

test.each<[string, Faults, string, string | undefined]>([
  ["no receipt after a 200", { receipt: "missing" }, "receipt", "delivered-unsettled"],
  ["a receipt that cannot be read", { receipt: "garbled" }, "receipt", "delivered-unsettled"],
  ["a receipt of a refused settlement", { receipt: "refused" }, "receipt", "delivered-unsettled"],
  ["a receipt over more than was verified", { receipt: "overstated" }, "receipt", undefined],
  ["a record that disagrees", { moneyStatus: "unknown" }, "receipt", undefined],
  ["a balance that lost more", { leak: 1n }, "balance", undefined],
  ["a verify that takes credits", { verifyTakes: 1n }, "verify", undefined],
  ["a refused token", { invalidReason: "expired_token" }, "verify", "refused"],
  ["an agent that refuses the token", { paidStatus: 402 }, "call", "refused"],
  ["an agent that fails", { paidStatus: 500 }, "call", "unknown"],
  ["an agent that is not there", { agentDown: true }, "ask", undefined],
])("%s breaks the story at its step", async (_, faults, id, money) => {
  const { steps } = await play({ balances: { 3: 5n }, ...faults }, { plan: "trial" });
  const broken = brokenStep(steps);
  expect([broken?.id, broken?.money]).toEqual([id, money]);
  expect(broken?.error).toBeTruthy();
});

test("credits that other calls of the account took meanwhile are told apart", async () => {
  const { stepOf } = await play({ balances: { 3: 9n }, leak: 2n, others: "2" }, { plan: "trial" });
  expect(stepOf("balance")).toMatchObject({ ok: true, facts: { elsewhere: "2", after: "6" } });
  expect(stepOf("balance").meaning).toContain("2 credits went to other calls meanwhile.");
});

test("other calls do not excuse more than they took", async () => {
  const { steps } = await play({ balances: { 3: 9n }, leak: 2n, others: "1" }, { plan: "trial" });
  expect(brokenStep(steps)?.id).toBe("balance");
});

test("a stopped story plays no further step", async () => {
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

test("no key and no token is among the facts", async () => {
  const { steps } = await play();
  const told = JSON.stringify(steps);
  expect(told).not.toContain(SANDBOX.subscriber.apiKey);
  expect(told).not.toContain(SANDBOX.builder.apiKey);
  expect(told).not.toMatch(/eyJ[A-Za-z0-9+/=]{60}/);
});
