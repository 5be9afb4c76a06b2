import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browser, signIn } from "@/app/_session/testing/browser.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { changeRedeemers, describePlan, publishVersion } from "./actions.ts";

const [ANN, BOB, CAT] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(39)}1`) as [
  string,
  string,
  string,
];

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

/** A builder with a plan, signed in with the browser. */
async function signedIn() {
  const person = await service.party();
  await signIn(service, person);
  const { plans } = person.payments;
  const { planId } = await plans.registerCreditsPlan(
    { name: "Pro", refundUnusedDays: 14, refundFailedCalls: true },
    getFiatPriceConfig(5_000_000n, person.address),
    getFixedCreditsConfig(10n, 1n),
  );
  const accounts = async () =>
    (await service.ports.plans.find(planId))?.redeemers.map((one) => one.toLowerCase()).toSorted();
  return { plans, planId, accounts };
}

test("a text that is changed leaves the refund policy, and the name that another tab gave", async () => {
  const { plans, planId } = await signedIn();
  await plans.updatePlan(planId, { metadataAttributes: { name: "Pro 2" } });
  expect(await describePlan(planId, { description: "New" })).toMatchObject({ ok: true });
  const { metadata, version } = await plans.getPlan(planId);
  expect(metadata.main).toMatchObject({
    ...{ name: "Pro 2", description: "New" },
    ...{ refundUnusedDays: 14, refundFailedCalls: true },
  });
  expect(version).toBe(1);
});

test("an account that another tab removed stays removed when an old page adds one", async () => {
  const { plans, planId, accounts } = await signedIn();
  await plans.updatePlan(planId, { redeemers: [ANN, BOB] });
  await plans.updatePlan(planId, { redeemers: [BOB] });
  const changed = await changeRedeemers(planId, { added: [CAT], removed: [] });
  expect(await accounts()).toEqual([BOB, CAT]);
  expect(changed).toMatchObject({ ok: true });
  expect(changed.ok && changed.data).toHaveLength(2);
});

test("a form that was opened before another version was published changes nothing", async () => {
  const { plans, planId } = await signedIn();
  const raised = getFiatPriceConfig(9_000_000n, (await plans.getPlan(planId)).owner);
  await plans.updatePlan(planId, { priceConfig: raised });
  const creditsConfig = getFixedCreditsConfig(20n, 1n);
  const stale = await publishVersion(1, { planId, creditsConfig });
  expect(stale).toMatchObject({ ok: false, code: "conflict" });
  expect(stale.ok || stale.message).toContain("Version 2");
  expect((await plans.getPlan(planId)).version).toBe(2);
  expect(await publishVersion(2, { planId, creditsConfig })).toMatchObject({ ok: true });
  const { version, registry } = await plans.getPlan(planId);
  expect(version).toBe(3);
  expect(registry.price.amounts).toEqual([9_000_000n]);
});

test("of two versions published at once from the same form one is published", async () => {
  const { plans, planId } = await signedIn();
  const receiver = (await plans.getPlan(planId)).owner;
  const prices = [6_000_000n, 7_000_000n];
  const published = await Promise.all(
    prices.map((price) =>
      publishVersion(1, { planId, priceConfig: getFiatPriceConfig(price, receiver) }),
    ),
  );
  expect(published.filter(({ ok }) => ok)).toHaveLength(1);
  expect(published.find(({ ok }) => !ok)).toMatchObject({ code: "conflict" });
  const { version, registry } = await plans.getPlan(planId);
  expect(version).toBe(2);
  expect(registry.price.amounts).toEqual([prices[published.findIndex(({ ok }) => ok)]]);
});

test("what is not a plan of theirs is answered, not thrown", async () => {
  const { planId } = await signedIn();
  await signedIn();
  for (const id of [planId, "1 or 1"]) {
    expect(await describePlan(id, { name: "Mine" })).toMatchObject({ code: "not_found" });
  }
  browser.cookie = undefined;
  expect(await changeRedeemers(planId, { added: [ANN], removed: [] })).toMatchObject({
    code: "unauthorized",
  });
});
