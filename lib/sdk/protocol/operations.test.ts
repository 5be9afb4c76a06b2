import { describe, expect, test } from "vitest";
import { planOf } from "../test-support/fake-service.ts";
import { AgentApiAttributes } from "./agent.ts";
import { AgentMetadata } from "./agent-metadata.ts";
import { CreateDelegationPayload, DelegationConfig } from "./delegation.ts";
import { canonicalJson, toJson, withoutNulls } from "./json.ts";
import type { Operation } from "./operations/operation.ts";
import { operations } from "./operations.ts";
import { getFixedCreditsConfig } from "./plans/credits-builders.ts";
import { PlanMetadata } from "./plans/plan.ts";
import { getFiatPriceConfig } from "./plans/price-builders.ts";

const rows = Object.entries<Operation>(operations);

test("the items of a batch have the names that they have had, so that a repeat after an upgrade is known", () => {
  const accepts = [{ scheme: "svc:erc4337", planId: "42" }];
  const paymentRequired = { x402Version: 2, accepts } as const;
  const item = { paymentRequired, x402AccessToken: "bm8=", maxAmount: 2 };
  const idempotencyKey = "batch-0000-0000-0001";
  const { items } = operations.settleBatch.args({ items: [item, item], idempotencyKey });
  expect(items).toMatchObject([
    { idempotencyKey: "batch-82950b45b48323402e28fb832b2a2da9e0d4ef31ba3199fc4bf27291b536c3ad-0" },
    { idempotencyKey: "batch-82950b45b48323402e28fb832b2a2da9e0d4ef31ba3199fc4bf27291b536c3ad-1" },
  ]);
});

describe("the operations table", () => {
  test("has a name for every operation of the specification (§4.1)", () => {
    for (const name of [
      "getX402AccessToken",
      "verifyPermissions",
      "settlePermissions",
      "createDelegation",
      "listPaymentMethods",
      "registerCreditsPlan",
      "orderPlan",
      "getPlanBalance",
      "registerAgent",
      "registerTimePlan",
      "registerAgentAndPlan",
    ]) {
      expect(operations).toHaveProperty(name);
    }
  });

  test("tells operations of one method and path apart by their body", () => {
    const seen = new Map<string, string[]>();
    for (const [name, { method, path }] of rows) {
      const key = `${method} ${path.replace(/:\w+/g, ":")}`;
      seen.set(key, [...(seen.get(key) ?? []), name]);
    }
    const shared = [...seen.values()].filter((names) => names.length > 1);
    expect(shared).toEqual([["registerCreditsPlan", "registerTimePlan"]]);
    expect(operations.registerTimePlan.when).toEqual({ accessLimit: "time" });
  });

  test.each(rows)("%s reads without a body only when it changes nothing", (_name, row) => {
    if (row.method === "GET") expect(row.repeatable).toBe(true);
    expect(row.path).toMatch(/^(\/[a-z0-9-]+|\/:[a-zA-Z]+)+$/);
  });

  test("a plan's terms come through the wire as they were", () => {
    const terms = {
      metadataAttributes: { name: "Starter" },
      priceConfig: getFiatPriceConfig(10_000_000n, "0x52908400098527886E0F7030069857D2E4169EE7"),
      creditsConfig: getFixedCreditsConfig(100n),
    };
    expect(operations.registerCreditsPlan.input.parse(JSON.parse(toJson(terms)))).toEqual({
      ...terms,
      accessLimit: "credits",
    });
    const plan = planOf("42");
    expect(operations.getPlan.output.parse(JSON.parse(toJson(plan)))).toEqual(plan);
  });

  test("verify understands the SDK's body and a stock facilitator's", () => {
    const offer = { scheme: "svc:erc4337", network: "eip155:84532", planId: "42" };
    const ours = {
      paymentRequired: { x402Version: 2, accepts: [offer] },
      x402AccessToken: "e30=",
      maxAmount: "3",
    };
    const stock = { x402Version: 2, paymentPayload: {}, paymentRequirements: offer };
    expect(operations.verifyPermissions.input.parse(ours)).toMatchObject({ maxAmount: 3n });
    expect(operations.verifyPermissions.input.parse(stock)).toMatchObject(stock);
  });
});

describe("metadata (§2.7 to §2.9)", () => {
  test("only the name is required", () => {
    expect(AgentMetadata.parse({ name: "A" })).toEqual({ name: "A" });
    expect(AgentMetadata.safeParse({ name: " " }).success).toBe(false);
    expect(AgentMetadata.safeParse({}).success).toBe(false);
    expect(PlanMetadata.parse({ name: "A", isTrialPlan: true })).toMatchObject({
      isTrialPlan: true,
    });
  });
  test("dateCreated is an ISO date with or without a time", () => {
    for (const dateCreated of ["2026-01-31", "2026-01-31T10:00:00Z"]) {
      expect(AgentMetadata.safeParse({ name: "A", dateCreated }).success).toBe(true);
    }
    expect(AgentMetadata.safeParse({ name: "A", dateCreated: "31.1.2026" }).success).toBe(false);
  });
  test("endpoints have one entry each, or verb and url; what is left out stays out, so that a change keeps it", () => {
    const api = AgentApiAttributes.parse({
      endpoints: [{ post: "https://a.example/:id" }, { verb: "GET", url: "/x" }],
    });
    expect(api).toEqual({
      endpoints: [
        { verb: "POST", url: "https://a.example/:id" },
        { verb: "GET", url: "/x" },
      ],
    });
    for (const endpoint of [{}, { GET: "/a", POST: "/b" }, { SING: "/a" }, { GET: "a" }]) {
      expect(AgentApiAttributes.safeParse({ endpoints: [endpoint] }).success).toBe(false);
    }
  });
});

describe("delegations (§2.3)", () => {
  test("a delegation is reused by its id alone, which may not be blank", () => {
    expect(DelegationConfig.parse({ delegationId: "d1" })).toEqual({ delegationId: "d1" });
    expect(DelegationConfig.safeParse({ delegationId: "" }).success).toBe(false);
  });
  test("limits are whole numbers, currencies lower-case, stripe is the card processor", () => {
    const delegation = {
      provider: "stripe",
      spendingLimitCents: "1000",
      durationSecs: "60",
      currency: "USD",
    };
    expect(CreateDelegationPayload.parse(delegation)).toMatchObject({
      provider: "card-processor",
      spendingLimitCents: 1000n,
      durationSecs: 60,
      currency: "usd",
    });
    for (const wrong of [{ durationSecs: 0 }, { spendingLimitCents: -1 }, { maxTransactions: 0 }]) {
      expect(CreateDelegationPayload.safeParse({ ...delegation, ...wrong }).success).toBe(false);
    }
  });
});

describe("JSON", () => {
  test("null equals absent at every depth, but not in the middle of a list's count", () => {
    expect(withoutNulls({ a: null, b: { c: null, d: [{ e: null }] } })).toEqual({ b: { d: [{}] } });
    expect(withoutNulls(null)).toBeUndefined();
  });
  test("a __proto__ member changes no prototype", () => {
    const value = withoutNulls(JSON.parse('{"__proto__":{"admin":true},"a":1}'));
    expect(value).toEqual({ a: 1 });
    expect((value as { admin?: boolean }).admin).toBeUndefined();
  });
  test("the canonical form does not depend on the order of members", () => {
    expect(canonicalJson({ b: 1, a: { d: 2n, c: 3 } })).toBe('{"a":{"c":3,"d":"2"},"b":1}');
  });
});
