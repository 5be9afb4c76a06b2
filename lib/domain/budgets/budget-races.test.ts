import { buildPaymentRequired, type InputOf } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createPretendRail,
  pretendCards,
  testCryptoTerms,
} from "@/lib/server/testing/pretend-rail.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { firstCases, inFull, longTest } from "@/lib/testing/in-full.ts";
import {
  createBudgetMarket,
  limits,
  mintFor,
  moveToNoon,
  spentBy,
} from "./testing/budget-market.ts";

const CROWD = inFull(300, 60);
const REPLICAS = inFull(10, 3);
const TOKENS = 4;
const SECRET = new Uint8Array(32).fill(7);

describe.each(ruleStores())("races against budgets on $name", ({ open }) => {
  let database: Database;
  let replicas: TestService[];

  beforeAll(async () => {
    database = await open();
    replicas = Array.from({ length: REPLICAS }, start);
    await moveToNoon(first());
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** Another replica on the one database; its orders take some milliseconds. */
  const start = () =>
    createTestService(database, {
      secretKey: SECRET,
      cards: pretendCards,
      rails: [testCryptoTerms(), cardTerms].map((terms) =>
        createPretendRail(terms, { delayMs: () => Math.random() * 5 }),
      ),
    });
  const first = () => replicas[0] as TestService;

  /** A crowd that orders, reserves and settles at once, by several tokens and through every replica. */
  async function race(rail: "chain" | "card", isShared: boolean, rows: ReturnType<typeof limits>) {
    const made = await createBudgetMarket(first(), { rail });
    const { market } = made;
    const { budgets, plans } = market.subscriber.payments;
    const shared = isShared ? { delegationId: made.delegationId } : undefined;
    const tokens = [made.accessToken];
    while (tokens.length < TOKENS) {
      tokens.push((await mintFor(first(), market, shared)).accessToken);
    }
    await budgets.setBudgets({ limits: rows });
    const scheme = rail === "card" ? "svc:card-delegation" : "svc:erc4337";
    const requirement = buildPaymentRequired({ ...market, httpVerb: "POST", scheme });
    const answers = await Promise.all(
      Array.from({ length: CROWD }, async (_, index) => {
        const service = replicas[index % REPLICAS] as TestService;
        const calls = createPermissionCalls(service, market);
        const token = tokens[index % TOKENS] ?? "";
        const agentRequestId = freshId();
        if (index % 10 === 9) {
          const ordered = await plans.orderPlan(market.planId).catch(() => null);
          return ordered?.success === true;
        }
        if (index % 2)
          return (await calls.settle({ token, agentRequestId, requirement })).body.success === true;
        const verified = await calls.verify({ token, agentRequestId, requirement, reserve: true });
        return "isValid" in verified.body && verified.body.isValid;
      }),
    );
    return {
      market,
      tokens,
      requirement,
      passed: answers.filter(Boolean).length,
      spent: await spentBy(first(), market.subscriber),
    };
  }

  test.each(
    firstCases(2, [
      ["chain", true],
      ["card", false],
      ["chain", false],
      ["card", true],
    ] as const),
  )(
    "a crowd never orders beyond a day's money, by %s, one delegation: %s",
    async (rail, isShared) => {
      const { spent, passed } = await race(rail, isShared, limits(["day", "money", 550]));
      console.info(
        `budgets: ${CROWD} at once, ${REPLICAS} replicas, ${rail}: ${passed} passed, ${spent.cents} of 550 cents`,
      );
      expect(spent.cents).toBeLessThanOrEqual(550);
      expect(spent.cents).toBeGreaterThanOrEqual(500);
    },
    120_000,
  );

  test.each(firstCases(1, [["chain"], ["card"]] as const))(
    "a crowd never takes more than a day's credits, by %s, and a restart forgets nothing",
    async (rail) => {
      const { market, tokens, requirement, spent, passed } = await race(
        rail,
        false,
        limits(["day", "credits", 75]),
      );
      console.info(
        `budgets: ${CROWD} at once, ${REPLICAS} replicas, ${rail}: ${passed} passed, ${spent.credits} of 75 credits`,
      );
      expect(spent.credits).toBe(70);
      const restarted = start();
      const calls = createPermissionCalls(restarted, market);
      const again = await mintFor(restarted, market);
      const { accessToken: token } = again;
      for (const ask of [
        { token, requirement },
        { requirement, token: tokens[0] ?? "" },
      ]) {
        expect((await calls.settle(ask)).body).toMatchObject({ cause: "budget_per_day" });
      }
      expect((await spentBy(restarted, market.subscriber)).credits).toBe(70);
    },
    120_000,
  );

  longTest.each([
    ["calls", 1n, 8],
    ["orders", 10n, 1],
  ])(
    "changing a budget while a crowd spends leaves every count of %s right",
    async (_name, perCall, orders) => {
      const { market, calls, delegationId } = await createBudgetMarket(first(), { perCall });
      const { budgets, plans } = market.subscriber.payments;
      for (let order = 0; order < orders; order++) await plans.orderPlan(market.planId);
      const others = await mintFor(first(), market);
      const spend = Array.from({ length: CROWD }, (_, index) => {
        const { settle, verify } = index % 3 ? calls : others.calls;
        return index % 2 ? settle() : verify({ agentRequestId: freshId(), reserve: true });
      });
      const change = [400, 30, 500, 45].map((limit) =>
        budgets.setDelegationBudgets(delegationId, { limits: limits(["week", "credits", limit]) }),
      );
      await Promise.all([...spend, ...change]);
      const both = limits(["week", "credits", 1], ["week", "money", 1]);
      const { credits, cents } = await spentBy(first(), market.subscriber);
      expect((await budgets.setBudgets({ limits: both })).limits).toMatchObject([
        { used: `${credits}` },
        { used: `${cents}` },
      ]);
    },
    120_000,
  );

  test.each([
    ["an account", false],
    ["a delegation", true],
  ])("two changes of the budgets of %s at once are both kept", async (_name, isOfDelegation) => {
    const { market, delegationId } = await createBudgetMarket(first());
    const { budgets } = market.subscriber.payments;
    const set = (input: InputOf<"setBudgets">) =>
      isOfDelegation
        ? budgets.setDelegationBudgets(delegationId, input)
        : budgets.setBudgets(input);
    for (let time = 0; time < 5; time++) {
      const above = BigInt(100 + time);
      await Promise.all([
        set({ limits: limits(["day", "money", 500 + time]) }),
        set({ approval: { above } }),
        set({ allow: { builders: [market.builder.address] } }),
      ]);
      const kept = isOfDelegation
        ? await budgets.getDelegationBudgets(delegationId)
        : await budgets.getBudgets();
      expect(kept).toMatchObject({
        limits: [{ limit: `${500 + time}` }],
        approval: { above },
        allow: { builders: [market.builder.address] },
      });
      await set({ limits: [], approval: {}, allow: {} });
    }
  });
});
