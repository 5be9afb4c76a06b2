import { afterAll, beforeAll, expect, test } from "vitest";
import { createAlerts } from "@/lib/adapters/db/alerts/alerts.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createAccountPaymentJournal } from "@/lib/adapters/db/money/account-payments.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { noteCards } from "./alerts/note-outside.ts";
import type { CardProcessor } from "./card-ports.ts";
import { sumStatements } from "./money/statements.ts";
import { resolveWithdrawals } from "./money/withdrawals.ts";
import { recheckDomains } from "./plans/domain-proof.ts";

const DAY = 86_400;
let database: Database;
let service: TestService;
/** What the domain check of each agent waits for. */
const answers = new Map<string, () => Promise<never>>();

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database, {
    findDomainProof: async ({ agentId }) =>
      (await answers.get(agentId)?.()) ?? { kind: "proved", method: "file" },
  });
});
afterAll(() => database.close());

test("cards that can't be read keep no other account's from being read", async () => {
  const { ports } = service;
  for (let n = 0; n < 11; n += 1) {
    const { address, payments } = await service.party();
    const { delegationId } = await payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 1_000n,
      durationSecs: DAY,
      currency: "usd",
    });
    await database.query(
      "update delegations set payment_method_id = 'pm_1' where delegation_id = $1",
      [delegationId],
    );
    await database.query("select wake_alerts($1)", [address]);
  }
  const asked: string[] = [];
  const cards = {
    async listPaymentMethods(account: string) {
      asked.push(account);
      if (new Set(asked).size <= 10) throw new Error("No such customer");
      return [];
    },
  } as Partial<CardProcessor> as CardProcessor;
  for (const _ of [1, 2]) await noteCards({ ...ports, cards });
  expect(new Set(asked).size).toBe(11);
  expect(asked).toHaveLength(11);
  await ports.clock.advance(3_601);
  expect(await createAlerts(database).takeDueCards(20)).toHaveLength(10);
});

test("a domain that fails or answers late keeps no other one from being checked", async () => {
  const markets = [await createMarket(service), await createMarket(service)];
  for (const { builder, agentId } of markets) await builder.market.checkAgentDomain({ agentId });
  const [first, second] = markets.map(({ agentId }) => agentId);
  const checkedAt = async (agentId = "") =>
    (await service.ports.agents.find(agentId))?.domainProof?.checkedAt;
  const before = await checkedAt(second);
  await service.ports.clock.advance(DAY + 1);
  let fail = (_: Error) => {};
  answers.set(first ?? "", () => new Promise((_, reject) => (fail = reject)));
  const checking = recheckDomains(service.ports);
  await expect.poll(() => checkedAt(second)).not.toBe(before);
  fail(new Error("unreadable"));
  expect(await checking).toBe(1);
});

test("a withdrawal that can't be looked at keeps no other one under way", async () => {
  const { ports } = service;
  const journal = createAccountPaymentJournal(database.orm);
  for (const paymentId of ["1", "2"]) {
    const { address: account } = await service.party();
    await journal.open(
      { paymentId, kind: "withdrawal", account, token: "0x1", to: "0x2", amount: 1n },
      { operationHash: "0xabc", sinceBlock: 1n },
    );
  }
  await ports.clock.advance(61);
  const tried: string[] = [];
  const pay = async ({ paymentId }: { paymentId: string }) => {
    tried.push(paymentId);
    if (tried.length === 1) throw new Error("odd");
    return { status: "open" as const, txHash: null };
  };
  await resolveWithdrawals({ ...ports, accountPayments: { pay } });
  expect(tried.sort()).toEqual(["1", "2"]);
});

test("an account whose sales can't be summed keeps no other account's from being summed", async () => {
  const { ports } = service;
  const summed: string[] = [];
  const statements = {
    ...ports.statements,
    listBusy: async () => ["0x1", "0x2"],
    async sumSales(account: string) {
      if (account === "0x1") throw new Error("canceling statement due to statement timeout");
      summed.push(account);
    },
  };
  await sumStatements({ ...ports, statements });
  expect(summed).toEqual(["0x2"]);
});
