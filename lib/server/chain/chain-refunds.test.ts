import { randomBytes } from "node:crypto";
import { createGate } from "@turnpike/payments";
import { getCryptoPriceConfig, getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type Hex, keccak256, stringToHex } from "viem";
import { privateKeyToAccount, signTypedData } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { giveTestDollars } from "@/lib/adapters/chain/operator.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { acceptRefundRequest, createRefund } from "@/lib/domain/money/refunds.ts";
import { resolveRefunds } from "@/lib/domain/money/send-refunds.ts";
import { deathsAt, dying } from "@/lib/domain/testing/dying.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import type { TestParty } from "../testing/test-service.ts";

const PRICE = 1_000_000n;

describe.each(ruleStores())("refunds on chain, $name", ({ open }) => {
  let database: Database;
  let service: ChainTestService;

  beforeAll(async () => {
    database = await open();
    service = await startChainTestService(database);
  });
  afterAll(async () => {
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  type Sold = { builder: TestParty; subscriber: TestParty; planId: string; orderId: string };
  /** An order of ten credits for 1.00, whose price is on the builder's account. */
  async function sold(paysTo?: TestParty): Promise<Sold> {
    const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Ten" },
      getCryptoPriceConfig(PRICE, (paysTo ?? builder).address, service.usdc),
      getDynamicCreditsConfig(10n, 1n, 10n),
    );
    const { orderId } = await subscriber.payments.plans.orderPlan(planId);
    return { builder, subscriber, planId, orderId };
  }
  const heldBy = async ({ builder, subscriber, planId }: Sold) => [
    await service.money(builder.address),
    await service.money(subscriber.address),
    (await subscriber.payments.plans.getPlanBalance(planId)).balance,
  ];
  /** Ledger and chain agree, in money of both sides and in credits. */
  async function expectSame(shop: Sold) {
    const compared = await service.onChain.reconciler.run();
    expect(compared).toMatchObject({ difference: 0n, differences: [] });
    for (const { money } of [shop.builder, shop.subscriber]) {
      const { items } = await money.checkMoney({});
      expect(items[0]).toMatchObject({ currency: "usdc", difference: "0" });
    }
  }

  test("an order is refunded in part and then whole, from the builder's account to the payer's", async () => {
    const shop = await sold();
    const [had, spent] = await heldBy(shop);
    const { createRefund: refund } = shop.builder.payments.money;
    const { listMovements } = shop.builder.money;
    const part = await refund({ orderId: shop.orderId, amount: 400_000n });
    expect(part).toMatchObject({
      status: "paid",
      amount: "400000",
      currency: "usdc",
      credits: "4",
    });
    expect(part.reference).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await heldBy(shop)).toEqual([(had ?? 0n) - 400_000n, (spent ?? 0n) + 400_000n, 6n]);
    // The chain follows: its credits are taken back once the money has arrived.
    expect(await service.credits(shop.subscriber.address, shop.planId)).toBe(10n);
    await expectSame(shop);
    expect(await service.credits(shop.subscriber.address, shop.planId)).toBe(6n);
    await expect(refund({ orderId: shop.orderId, amount: 600_001n })).rejects.toMatchObject({
      code: "invalid_input",
    });
    await refund({ orderId: shop.orderId });
    await expectSame(shop);
    expect(await service.credits(shop.subscriber.address, shop.planId)).toBe(0n);
    expect(await service.onChain.reconciler.run()).toMatchObject({ inFlight: 0n, difference: 0n });
    await service.onChain.watch();
    expect(await service.onChain.findings.countOpen()).toBe(0);
    const [paid] = (await listMovements({})).items;
    expect(paid).toMatchObject({ kind: "refund", amount: "-600000", orderId: shop.orderId });
    // The chain tells seconds only, so what came in then has no order among itself.
    const { items } = await shop.subscriber.money.listMovements({});
    const back = { kind: "refund", amount: "600000", orderId: shop.orderId };
    expect(items).toContainEqual(expect.objectContaining(back));
  });

  test("a refund that the account cannot pay is refused, and the credits return", async () => {
    const shop = await sold(await service.party());
    const held = await service.money(shop.builder.address);
    await service.onChain.accountPayments.pay({
      paymentId: randomBytes(8).toString("hex"),
      kind: "withdrawal",
      account: shop.builder.address,
      token: service.usdc,
      to: shop.subscriber.address,
      amount: held,
    });
    const refused = await shop.builder.payments.money.createRefund({ orderId: shop.orderId });
    expect(refused).toMatchObject({
      status: "refused",
      failure: { code: "insufficient_funds", message: expect.stringContaining("Add funds") },
    });
    expect((await heldBy(shop))[2]).toBe(10n);
    await expectSame(shop);
    await service.onChain.fundAccount(shop.builder.address);
    const { createRefund: refund } = shop.builder.payments.money;
    expect(await refund({ orderId: shop.orderId })).toMatchObject({ status: "paid" });
    await expectSame(shop);
  });

  describe("where the builder's own wallet holds the key", () => {
    const ownWallet = ({ builder }: Sold) =>
      database.query("update accounts set owner_key = null where address = $1", [builder.address]);
    const signed = async ({ builder }: Sold, refundId: string, by: Hex, amount?: bigint) => {
      const { getRefundPayment } = builder.payments.money;
      const { typedData } = await getRefundPayment({ refundId, ...(amount && { amount }) });
      const { EIP712Domain: _, ...types } = typedData.types;
      const domain = typedData.domain as typeof typedData.domain & { verifyingContract: Hex };
      return signTypedData({ ...typedData, domain, types, privateKey: by });
    };

    test("a refund waits for its signature, and nothing changes before", async () => {
      const shop = await sold();
      const [had, spent] = await heldBy(shop);
      await ownWallet(shop);
      const { money } = shop.builder.payments;
      const { refundId, status } = await money.createRefund({
        orderId: shop.orderId,
        amount: 400_000n,
      });
      expect(status).toBe("requested");
      expect(await money.getRefundPayment({ refundId })).toMatchObject({
        to: shop.subscriber.address,
        token: service.usdc,
        amount: "400000",
      });
      await expect(money.acceptRefundRequest({ refundId })).rejects.toMatchObject({
        code: "signature_required",
      });
      const other = await signed(shop, refundId, shop.subscriber.ownerKey);
      const less = await signed(shop, refundId, shop.builder.ownerKey, 100_000n);
      for (const signature of [other, less]) {
        await expect(money.acceptRefundRequest({ refundId, signature })).rejects.toMatchObject({
          code: "invalid_input",
        });
      }
      expect(await heldBy(shop)).toEqual([had, spent, 10n]);
      const signature = await signed(shop, refundId, shop.builder.ownerKey);
      const accept = () => money.acceptRefundRequest({ refundId, signature });
      const [first, second] = await Promise.all([accept(), accept()]);
      expect([first.refundId, second.refundId]).toEqual([refundId, refundId]);
      expect(await money.getRefund(refundId)).toMatchObject({ status: "paid", credits: "4" });
      expect(await heldBy(shop)).toEqual([(had ?? 0n) - 400_000n, (spent ?? 0n) + 400_000n, 6n]);
      await expect(money.getRefundPayment({ refundId })).rejects.toMatchObject({
        code: "conflict",
      });
      await expectSame(shop);
    });

    test.each([
      ["builder", /is waiting for your wallet's signature/],
      ["subscriber", /The subscriber has requested a refund/],
    ] as const)(
      "a second refund names the open request of the %s, and how it is answered",
      async (side, told) => {
        const shop = await sold();
        await ownWallet(shop);
        const { orderId } = shop;
        const { money } = shop.builder.payments;
        const asked =
          side === "builder"
            ? await money.createRefund({ orderId })
            : await shop.subscriber.payments.money.requestRefund({ orderId, reason: "Mistake" });
        const { refundId } = asked;
        const error = await money
          .createRefund({ orderId, amount: 400_000n })
          .catch((cause) => cause);
        expect(error).toMatchObject({
          code: "conflict",
          message: expect.stringMatching(told),
          hint: expect.stringContaining(`/refund-requests/${refundId}/payment`),
          details: [
            { path: "refund", message: "requested" },
            { path: "refundId", message: refundId },
          ],
        });
        await expect(
          shop.subscriber.payments.money.requestRefund({ orderId, reason: "Again" }),
        ).rejects.toMatchObject({
          message: expect.stringMatching(/Wait for the (builder’s )?answer/),
        });
        const signature = await signed(shop, refundId, shop.builder.ownerKey, 400_000n);
        const accepted = await money.acceptRefundRequest({ refundId, amount: 400_000n, signature });
        expect(accepted.refundId).toBe(refundId);
        await expectSame(shop);
      },
    );

    test.each(deathsAt(["refunds.open", "rails.refundPart", "refunds.note"]))(
      "R4: killed $when $step, a subscriber's request that it signed is paid once",
      async (death) => {
        const shop = await sold();
        const [had, spent] = await heldBy(shop);
        await ownWallet(shop);
        const { refundId } = await shop.subscriber.payments.money.requestRefund({
          orderId: shop.orderId,
          reason: "Mistake",
        });
        const signature = await signed(shop, refundId, shop.builder.ownerKey);
        const accept = (ports = service.ports) =>
          acceptRefundRequest({ ...shop.builder.context, ports }, { refundId, signature });
        await accept(dying(service.ports, death)).catch(() => null);
        for (let round = 0; round < 2; round += 1) {
          await service.ports.clock.advance(61);
          await Promise.all([resolveRefunds(service.ports), resolveRefunds(service.ports)]);
        }
        await accept();
        expect(await heldBy(shop)).toEqual([(had ?? 0n) - PRICE, (spent ?? 0n) + PRICE, 0n]);
        await expectSame(shop);
      },
    );
  });

  test("a payment by exact goes back to the wallet that paid, which has no account", async () => {
    const builder = await service.party({ isFunded: false });
    const wallet = privateKeyToAccount(keccak256(stringToHex("exact refund")));
    await giveTestDollars(service.onChain.operator, { account: wallet.address, amount: PRICE });
    const gate = createGate(builder.payments, { "POST /ask": { price: "$0.01" } });
    const client = new x402Client()
      .register("eip155:84532", new ExactEvmScheme(wallet))
      .setSpendControls({ allowedAssets: [{ network: "eip155:84532", asset: service.usdc }] });
    const agent = async (input: RequestInfo | URL, init?: RequestInit) =>
      gate(new Request(input, init), async () => Response.json({}));
    const pay = wrapFetchWithPayment(agent as typeof fetch, client);
    await pay("https://agent.test/ask", { method: "POST", body: "{}" });
    expect(await service.money(wallet.address)).toBe(PRICE - 10_000n);
    const { items } = await builder.payments.requests.listRequests({});
    const { agentRequestId } = items[0] ?? {};
    const { createRefund: refund } = builder.payments.money;
    const whole = { agentRequestId, amount: 10_000n };
    expect(await refund(whole)).toMatchObject({ status: "paid", subscriber: wallet.address });
    expect(await service.money(wallet.address)).toBe(PRICE);
    expect(await service.money(builder.address)).toBe(0n);
    await expect(refund(whole)).rejects.toMatchObject({ code: "conflict" });
    expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
  });

  test("an open refund is pending for the comparison, never a difference", async () => {
    const shop = await sold();
    const { context } = shop.builder;
    const killed = dying(service.ports, { step: "rails.refundPart", when: "before" });
    await createRefund({ ...context, ports: killed }, { orderId: shop.orderId }).catch(() => null);
    expect(await service.onChain.reconciler.run()).toMatchObject({
      difference: 0n,
      inFlight: 10n,
    });
    expect(await service.credits(shop.subscriber.address, shop.planId)).toBe(10n);
    await service.ports.clock.advance(61);
    await resolveRefunds(service.ports);
    await expectSame(shop);
    expect(await service.credits(shop.subscriber.address, shop.planId)).toBe(0n);
  });

  test.each(deathsAt(["refunds.open", "rails.refundPart", "refunds.note"]))(
    "R4: killed $when $step, the money goes back once",
    async (death) => {
      const shop = await sold();
      const [had, spent] = await heldBy(shop);
      const input = {
        orderId: shop.orderId,
        amount: 500_000n,
        idempotencyKey: `${death.when}-${death.step}`,
      };
      const refund = (ports = service.ports) =>
        createRefund({ ...shop.builder.context, ports }, input);
      await refund(dying(service.ports, death)).catch(() => null);
      for (let round = 0; round < 2; round += 1) {
        await service.ports.clock.advance(61);
        await Promise.all([resolveRefunds(service.ports), resolveRefunds(service.ports)]);
      }
      const { refundId } = await refund();
      const { getRefund } = shop.builder.payments.money;
      expect(await getRefund(refundId)).toMatchObject({ status: "paid", credits: "5" });
      expect(await heldBy(shop)).toEqual([(had ?? 0n) - 500_000n, (spent ?? 0n) + 500_000n, 5n]);
      await expectSame(shop);
      expect(await service.credits(shop.subscriber.address, shop.planId)).toBe(5n);
    },
  );
});
