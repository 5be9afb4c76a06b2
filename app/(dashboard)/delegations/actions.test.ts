import { afterAll, beforeAll, expect, test } from "vitest";
import { signIn } from "@/app/_session/testing/browser.ts";
import { valuesOf } from "@/components/budgets/read-budgets.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { setBudgets } from "../settings/budgets/actions.ts";
import { renewDelegation, setDelegationBudgets } from "./actions.ts";

const BUILDER = `0x${"a".repeat(39)}1`;
const OTHER = `0x${"b".repeat(39)}1`;
const DAY = { period: "day", unit: "money", limit: "2000" } as const;
const TERMS = { provider: "erc4337", spendingLimitCents: "10000", durationSecs: 3_600 } as const;

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

/** A subscriber with a delegation, signed in with the browser. */
async function signedIn() {
  const person = await service.party();
  await signIn(service, person);
  const { delegation, budgets } = person.payments;
  const { delegationId } = await delegation.createDelegation({ ...TERMS, currency: "usd" });
  return { delegation, budgets, delegationId };
}

test("a renewed delegation has the budgets of the one it replaces", async () => {
  const { budgets, delegationId } = await signedIn();
  const rules = {
    limits: [DAY, { period: "call", unit: "credits", limit: "40", builder: BUILDER } as const],
    allow: { builders: [BUILDER] },
    approval: { above: 500n, newBuilders: true },
  };
  const { limits, ...before } = await budgets.setDelegationBudgets(delegationId, rules);
  const renewed = await renewDelegation(delegationId, { ...TERMS, currency: "usd" });
  if (!renewed.ok) throw new Error(renewed.message);
  expect(renewed.data.status).toBe("Active");
  const copied = await budgets.getDelegationBudgets(renewed.data.delegationId);
  expect(copied).toMatchObject({ ...before, delegationId: renewed.data.delegationId });
  expect(copied.limits.map(({ limit }) => limit)).toEqual(limits.map(({ limit }) => limit));
});

test("a delegation without budgets is renewed without any, also in another currency", async () => {
  const { budgets, delegationId } = await signedIn();
  const renewed = await renewDelegation(delegationId, { ...TERMS, currency: "eur" });
  if (!renewed.ok) throw new Error(renewed.message);
  expect((await budgets.getDelegationBudgets(renewed.data.delegationId)).limits).toEqual([]);
});

test("amounts are not copied into another currency", async () => {
  const { delegation, budgets, delegationId } = await signedIn();
  await budgets.setDelegationBudgets(delegationId, { limits: [DAY] });
  const renewed = await renewDelegation(delegationId, { ...TERMS, currency: "eur" });
  expect(renewed).toMatchObject({ code: "conflict", message: expect.stringContaining("USD") });
  expect((await delegation.listDelegations()).items).toHaveLength(1);
});

test("a renewed delegation is never there without its budgets", async () => {
  const { delegation, budgets, delegationId } = await signedIn();
  await budgets.setDelegationBudgets(delegationId, { limits: [DAY] });
  await database.query(
    `create function refuse_budgets() returns trigger language plpgsql as $$ begin raise 'full disk'; end $$`,
    [],
  );
  await database.query(
    "create trigger refuse_budgets before insert on budgets for each row execute function refuse_budgets()",
    [],
  );
  const renewed = await renewDelegation(delegationId, { ...TERMS, currency: "usd" });
  await database.query("drop trigger refuse_budgets on budgets", []);
  expect(renewed).toMatchObject({ ok: false });
  expect((await delegation.listDelegations()).items).toHaveLength(1);
});

test("a wallet signs the limits of the budgets that a renewed delegation gets", async () => {
  const walletKey = `0x${"7".repeat(64)}` as const;
  const person = await service.party({ walletKey });
  await signIn(service, person);
  const { delegation, budgets } = person.payments;
  const { delegationId } = await delegation.createDelegation({ ...TERMS, currency: "usd" });
  await budgets.setDelegationBudgets(delegationId, { limits: [DAY] });
  const renewed = await renewDelegation(delegationId, { ...TERMS, currency: "usd" });
  if (!renewed.ok) throw new Error(renewed.message);
  expect(renewed.data.grant?.terms.periodLimits).toMatchObject([{ period: "day" }]);
});

test("an old form of budgets keeps the limits and the list that were set since", async () => {
  const { budgets, delegationId } = await signedIn();
  const allow = { builders: [BUILDER, OTHER] };
  const opened = await budgets.setDelegationBudgets(delegationId, { allow });
  await budgets.setDelegationBudgets(delegationId, { limits: [DAY], allow: { builders: [OTHER] } });
  const saved = valuesOf(opened);
  const edit = { saved, values: { ...saved, aboveCredits: "50" } };
  expect(await setDelegationBudgets(delegationId, edit)).toMatchObject({ ok: true });
  const now = await budgets.getDelegationBudgets(delegationId);
  expect(now).toMatchObject({ limits: [DAY], approval: { aboveCredits: 50n } });
  expect(now.allow?.builders?.map((one) => one.toLowerCase())).toEqual([OTHER]);
});

test("an old form of the account's budgets keeps its new limits, and is refused in another currency", async () => {
  const { budgets } = await signedIn();
  const saved = valuesOf(await budgets.getBudgets());
  await budgets.setBudgets({ limits: [DAY] });
  const edit = { saved, values: { ...saved, credits: { ...saved.credits, week: "900" } } };
  expect(await setBudgets("usd", edit)).toMatchObject({ ok: true });
  const week = { period: "week", unit: "credits", limit: "900" };
  expect((await budgets.getBudgets()).limits).toMatchObject([DAY, week]);
  await budgets.setBudgets({ currency: "eur", limits: [DAY] });
  expect(await setBudgets("usd", edit)).toMatchObject({ code: "conflict" });
});
