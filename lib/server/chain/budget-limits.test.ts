import { randomBytes } from "node:crypto";
import {
  type GrantToSign,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeGrant } from "@/lib/adapters/chain/grants/grant.ts";
import { orderOnChain } from "@/lib/adapters/chain/order.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import type { Work } from "../background.ts";
import { chainWork } from "../background-work.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { freshId } from "../testing/operation-samples.ts";
import { createPermissionCalls } from "../testing/permission-calls.ts";
import { createMarket, type TestMarket, type TestParty } from "../testing/test-service.ts";
import type { ChainServices } from "./chain-services.ts";

const PRICE = 1_000_000n;
const CENTS = 100n;
const LIMIT = { provider: "erc4337", spendingLimitCents: 5_000n, durationSecs: 86_400 } as const;

describe.each(ruleStores())("budgets on chain, on $name", { timeout: 60_000 }, ({ open }) => {
  let database: Database;
  let service: ChainTestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    // Orders that the ledger did not make stop sales once they are found.
    const isBlind = ({ name }: Work) => !["chain events", "reconcile"].includes(name);
    const workOf = (onChain: ChainServices) => chainWork(onChain).filter(isBlind);
    service = await startChainTestService(database, undefined, undefined, workOf);
    const receiver = (await service.party({ isFunded: false })).address;
    market = await createMarket(service, {
      price: getCryptoPriceConfig(PRICE, receiver, service.usdc),
      credits: getFixedCreditsConfig(100n, 1n),
      order: false,
    });
  });
  afterAll(async () => {
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const dayLimit = (orders: bigint) => ({
    limits: [{ period: "day" as const, unit: "money" as const, limit: orders * CENTS }],
  });
  const delegate = async ({ payments }: TestParty) =>
    (await payments.delegation.createDelegation(LIMIT)).delegationId;
  const order = ({ payments }: TestParty, delegationId?: string) =>
    payments.plans
      .orderPlan(market.planId, { ...(delegationId && { delegationId }) })
      .then(({ status }) => (status === "minted" ? "done" : status))
      .catch(({ details, code }) => details?.[0]?.message ?? code);

  type Row = { grantId: string; kind: string; signed: Hex; replaced: boolean; revoked: boolean };
  const grantsOf = ({ address }: TestParty) =>
    database.query<Row>(
      `select grant_id as "grantId", kind, signed, replaced_at is not null as replaced, revoked_at is not null as revoked
       from chain_grants where account = $1 order by created_at, grant_id`,
      [address],
    );
  const kindsOf = async (party: TestParty) =>
    (await grantsOf(party)).map(
      ({ kind, replaced, revoked }) =>
        `${kind}${revoked ? " revoked" : replaced ? " replaced" : ""}`,
    );

  /** Orders on chain as anyone with the session key can: the ledger hears nothing of it. */
  async function steal(party: TestParty, kind: string) {
    const rows = (await grantsOf(party)).filter((row) => row.kind === kind);
    const { grantId = "" } = rows.at(-1) ?? {};
    const { operator, grants } = service.onChain;
    const { account, grant } = await grants.load(grantId);
    const outcome = await orderOnChain({
      ...operator,
      account,
      grant,
      sessionKey: await grants.sessionKey(grant.delegate),
      planId: BigInt(market.planId),
      orderId: freshId(),
      // The sandbox's chain lets an order be ahead of its clock, as tests move the ledger's.
      orderedAt: await service.ports.clock.now(),
      payment: { token: service.usdc, total: PRICE },
    });
    return outcome.status === "paid" ? "done" : outcome.detail.replace(/\(.*/, "");
  }
  /** Until the grants that were replaced are revoked on chain. */
  async function revokeReplaced() {
    await service.ports.clock.advance(61);
    await service.untilMirrored();
    while ((await service.onChain.revoke()) > 0);
  }

  test("a delegation with a budget: the session key alone cannot pass the day's limit", async () => {
    const party = await service.party();
    const delegationId = await delegate(party);
    await party.payments.budgets.setDelegationBudgets(delegationId, dayLimit(2n));
    expect(await order(party, delegationId)).toBe("done");
    expect(await kindsOf(party)).toEqual(["order"]);
    expect(await steal(party, "order")).toBe("done");
    expect(await steal(party, "order")).toBe("PeriodLimitExceeded");
    // The ledger knows of one order only; the chain of both.
    expect(await order(party, delegationId)).toBe("limit_exceeded");
  });

  test("the account's budget bounds its delegations and API keys together", async () => {
    const party = await service.party();
    await party.payments.budgets.setBudgets(dayLimit(3n));
    const [one, two] = [await delegate(party), await delegate(party)];
    expect(await order(party, one)).toBe("done");
    expect(await order(party, two)).toBe("done");
    expect(await order(party)).toBe("done");
    expect(await kindsOf(party)).toEqual(["order", "order", "root"]);
    expect(await steal(party, "order")).toBe("PeriodLimitExceeded");
    expect(await steal(party, "root")).toBe("PeriodLimitExceeded");
  });

  longTest(
    "a budget that is set later replaces what was signed before, and calls go on",
    async () => {
      const party = await service.party();
      const delegationId = await delegate(party);
      expect(await order(party, delegationId)).toBe("done");
      const token = await party.payments.x402.getX402AccessToken(market.planId, market.agentId, {
        delegationConfig: { delegationId },
      });
      const { settle } = createPermissionCalls(service, { ...market, token: token.accessToken });
      expect((await settle()).body).toMatchObject({ success: true });
      await service.untilMirrored();
      expect(await kindsOf(party)).toEqual(["delegation"]);

      await party.payments.budgets.setDelegationBudgets(delegationId, dayLimit(2n));
      expect(await kindsOf(party)).toEqual(["delegation replaced"]);
      expect((await settle()).body).toMatchObject({ success: true });
      await revokeReplaced();
      expect(await steal(party, "delegation")).toBe("CannotUseADisabledDelegation");
      expect((await settle()).body).toMatchObject({ success: true });
      expect(await order(party, delegationId)).toBe("done");
      await service.untilMirrored();
      expect((await kindsOf(party)).sort()).toEqual(["burn", "delegation revoked", "order"]);
      expect(await service.credits(party.address, market.planId)).toBe(197n);
      expect(await steal(party, "burn")).toBe("PermissionMissing");
      expect(await steal(party, "order")).toBe("done");
      expect(await order(party, delegationId)).toBe("budget_per_day");
    },
  );

  test("an account's budget that is set later replaces what its API keys order under", async () => {
    const party = await service.party();
    expect(await order(party)).toBe("done");
    await party.payments.budgets.setBudgets(dayLimit(3n));
    expect(await kindsOf(party)).toEqual(["root replaced"]);
    expect(await order(party)).toBe("done");
    expect(await kindsOf(party)).toEqual(["root replaced", "root"]);
    await revokeReplaced();
    expect(await kindsOf(party)).toEqual(["root revoked", "root"]);
    expect(await order(party)).toBe("done");
    expect(await order(party)).toBe("budget_per_day");
  });

  test("an owner key that can't be read keeps no other account's grant in use", async () => {
    const parties = [await service.party(), await service.party()] as const;
    for (const party of parties) {
      expect(await order(party)).toBe("done");
      await party.payments.budgets.setBudgets(dayLimit(3n));
    }
    const [unreadable, other] = parties;
    const of = "update accounts set owner_key";
    const [kept] = await database.query<{ key: string }>(
      "select owner_key as key from accounts where address = $1",
      [unreadable.address],
    );
    await database.query(`${of} = 'x' where address = $1`, [unreadable.address]);
    await revokeReplaced();
    expect(await kindsOf(unreadable)).toEqual(["root replaced"]);
    expect(await kindsOf(other)).toEqual(["root revoked"]);
    await database.query(`${of} = $2 where address = $1`, [unreadable.address, kept?.key]);
    await revokeReplaced();
    expect(await kindsOf(unreadable)).toEqual(["root revoked"]);
  });

  test("a budget that is raised or removed lets more orders through, never more than the total", async () => {
    const party = await service.party();
    const { payments } = party;
    const { delegationId } = await payments.delegation.createDelegation({
      ...LIMIT,
      spendingLimitCents: 4n * CENTS,
    });
    await payments.budgets.setDelegationBudgets(delegationId, dayLimit(1n));
    expect(await order(party, delegationId)).toBe("done");
    expect(await order(party, delegationId)).toBe("budget_per_day");
    await payments.budgets.setDelegationBudgets(delegationId, dayLimit(2n));
    expect(await order(party, delegationId)).toBe("done");
    await payments.budgets.setDelegationBudgets(delegationId, { limits: [] });
    expect(await order(party, delegationId)).toBe("done");
    await revokeReplaced();
    expect(await kindsOf(party)).toEqual(["order revoked", "order revoked", "order"]);
    expect(await steal(party, "order")).toBe("done");
    expect(await steal(party, "order")).toBe("OrderLimitExceeded");
  });

  test("what the chain does not count replaces no grant", async () => {
    const party = await service.party();
    const { setDelegationBudgets } = party.payments.budgets;
    const delegationId = await delegate(party);
    expect(await order(party, delegationId)).toBe("done");
    const builder = market.builder.address;
    const limits = [
      { period: "day" as const, unit: "credits" as const, limit: 10n },
      { period: "day" as const, unit: "money" as const, limit: 10_000n, builder },
    ];
    await setDelegationBudgets(delegationId, { limits, approval: { aboveCredits: 5n } });
    expect(await kindsOf(party)).toEqual(["delegation"]);
  });

  test("the next day's orders pass, in the ledger and on chain", async () => {
    const party = await service.party();
    const delegationId = await delegate(party);
    await party.payments.budgets.setDelegationBudgets(delegationId, dayLimit(1n));
    expect(await order(party, delegationId)).toBe("done");
    expect(await order(party, delegationId)).toBe("budget_per_day");
    const now = (await service.ports.clock.now()).getTime();
    const left = 86_400_000 - (now % 86_400_000);
    // A delegation of a day may end before midnight does.
    await database.query(
      "update delegations set expires_at = expires_at + interval '2 days' where delegation_id = $1",
      [delegationId],
    );
    await service.ports.clock.advance(Math.ceil(left / 1_000) + 1);
    expect(await order(party, delegationId)).toBe("done");
    expect(await order(party, delegationId)).toBe("budget_per_day");
  });

  test("a wallet signs the account's limits, and not those of before", async () => {
    const walletKey = `0x${randomBytes(32).toString("hex")}` as Hex;
    const party = await service.party({ walletKey });
    const { delegation, budgets } = party.payments;
    const sign = ({ typedData }: GrantToSign) =>
      privateKeyToAccount(walletKey).signTypedData(typedData as never);
    const created = await delegation.createDelegation({ ...LIMIT, planIds: [market.planId] });
    const { delegationId } = created;
    const first = await sign(created.grant as GrantToSign);
    await budgets.setBudgets(dayLimit(2n));
    await expect(delegation.submitGrantSignature(delegationId, first)).rejects.toMatchObject({
      code: "invalid_input",
    });
    const grant = await delegation.getGrant(delegationId);
    expect(grant.terms.periodLimits).toEqual([{ period: "day", limit: String(2n * PRICE) }]);
    await delegation.submitGrantSignature(delegationId, await sign(grant));
    const [row] = await grantsOf(party);
    expect(decodeGrant(row?.signed ?? "0x").caveats[1]?.enforcer).toBe(
      service.deployment.periodLimits,
    );
    expect(await order(party, delegationId)).toBe("done");
    expect(await steal(party, "delegation")).toBe("done");
    expect(await steal(party, "delegation")).toBe("PeriodLimitExceeded");
    // Another budget is the ledger's alone: a wallet signs a delegation once.
    await budgets.setBudgets(dayLimit(1n));
    expect(await kindsOf(party)).toEqual(["delegation"]);
    expect(await order(party, delegationId)).toBe("budget_per_day");
  });
});
