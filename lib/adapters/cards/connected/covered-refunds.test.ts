import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createRefund } from "@/lib/domain/money/refunds.ts";
import { readClearings, resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { resolveRefunds } from "@/lib/domain/money/send-refunds.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { dying } from "@/lib/domain/testing/dying.ts";
import { type CardShop, openCardShop } from "../testing/card-shop.ts";
import {
  lookAtOrders,
  openConnectedShop,
  openWonSale,
  orderCard,
  winChargeback,
} from "../testing/connected-shop.ts";
import { useCardService } from "../testing/use-card-service.ts";

const WAITING = `select 1 from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

type Calls = (() => Promise<{ status: string }>)[];
type Connected = Awaited<ReturnType<typeof openConnectedShop>>;

describe.each(ruleStores())(
  "what refunds of a builder may take whose sales go on with their charge, $name",
  ({ open }) => {
    const at = useCardService(open);

    async function openBank({ builder }: CardShop, { ports }: Connected["service"]) {
      const { money } = builder.payments;
      await money.createPayoutAccount({});
      const bank = await ports.payouts.findAccount(builder.address);
      at.fixture.processor.controls.onboard(bank?.processorAccount ?? "");
      await money.createPayoutAccount({});
      return bank?.processorAccount ?? "";
    }
    async function payOut({ shop, service }: Pick<Connected, "shop" | "service">) {
      await shop.builder.payments.money.createPayout({ currency: "usd" });
      await resolvePayouts(service.ports);
    }
    beforeAll(async () => {
      // Others' sales fill the platform's balance, of which a loss would be.
      const other = await openCardShop(at.service);
      for (let sales = 0; sales < 8; sales += 1) await orderCard(other);
    });

    /** What each call became: a refund's status, or `refused`. */
    const outcomesOf = async (calls: Promise<{ status: string }>[]) =>
      (await Promise.allSettled(calls)).map((call) =>
        call.status === "fulfilled" ? call.value.status : "refused",
      );
    /** A sale of 5.00 whose won chargeback of 3.00 was paid out: 2.00 are left in the builder's account. */
    async function openPaidOutSale() {
      const opened = await openWonSale(at);
      await lookAtOrders(opened.service);
      await openBank(opened.shop, opened.service);
      await payOut(opened);
      expect([await opened.held(), await at.owedTo(opened.shop)]).toEqual([200, 0n]);
      return opened;
    }

    /** What calls became that wait for what another transaction does about what is owed. */
    async function callDuring(statement: string, { builder }: CardShop, calls: Calls) {
      const { kind, orm, query } = at.database;
      let outcomes: ReturnType<typeof outcomesOf> | undefined;
      await orm.transaction(async (other) => {
        await other.execute(statement.replace("$1", `'${builder.address}'`));
        outcomes = outcomesOf(calls.map((call) => call()));
        // The embedded database has one connection.
        if (kind === "pglite") return;
        await vi.waitFor(async () => expect(await query(WAITING, [])).toHaveLength(calls.length), {
          timeout: 10_000,
        });
      });
      return (await outcomes)?.sort();
    }

    test.each(["refunds.open", "rails.refundPart", "refunds.note"])(
      "a refund takes nothing that an earlier one of the sale counts on, which was killed after %s",
      async (step) => {
        const { shop, service, held, orderId } = await openPaidOutSale();
        const { ports } = service;
        const amount = 2_000_000n;
        const killed = { ports: dying(ports, { step, when: "after" }), keyHash: null };
        const caller = { account: shop.builder.address, keyId: null, isOperator: false };
        await expect(
          createRefund({ ...killed, caller, requestId: "killed" }, { orderId, amount }),
        ).rejects.toThrow("killed");
        const { money } = shop.builder.payments;
        await expect(money.createRefund({ orderId, amount })).rejects.toThrow(
          "was paid out to you",
        );
        await lookAtOrders(service);
        await resolveRefunds(ports);
        await lookAtOrders(service);
        expect([await held(), await at.owedTo(shop)]).toEqual([0, 0n]);
      },
    );

    test("a look from before an earlier refund was sent does not end what that one counts on", async () => {
      const { shop, service, orderId } = await openPaidOutSale();
      const { ports } = service;
      const caller = { account: shop.builder.address, keyId: null, isOperator: false };
      const context = { caller, keyHash: null, requestId: "killed" };
      const killedAfter = (step: string) => dying(ports, { step, when: "after" });
      const refund = { orderId, amount: 2_000_000n };
      await createRefund({ ...context, ports: killedAfter("refunds.open") }, refund).catch(
        () => {},
      );
      const sentOn = await ports.orders.findSentOn(orderId);
      await ports.clock.advance(61);
      await resolveRefunds(killedAfter("refunds.note")).catch(() => {});
      if (!sentOn) throw new Error("Nothing went on.");
      await ports.orders.noteReturned(orderId, { returned: 3_000_000n, isDone: true, sentOn });
      const { money } = shop.builder.payments;
      await expect(money.createRefund(refund)).rejects.toThrow("was paid out to you");
      await lookAtOrders(service);
      expect(await at.owedTo(shop)).toBe(0n);
    });

    test("a repeat at once under the same key is answered with the refund, which takes all that covers it", async () => {
      const { shop, service, orderId } = await openPaidOutSale();
      const { refunds } = service.ports;
      const { createRefund: refund } = shop.builder.payments.money;
      const once = { orderId, amount: 2_000_000n, idempotencyKey: "refund-of-a-paid-out-sale" };
      const { refundId } = await refund(once);
      const made = await refunds.find(refundId);
      if (!made) throw new Error("No refund was made.");
      const audit = {
        ...{ account: made.owner, keyId: null, requestId: "repeat" },
        ...{ action: "refund", subject: "repeat" },
      };
      const again = { ...made, refundId: "repeat" };
      expect(await refunds.open(again, audit, { isSentOn: true })).toMatchObject({
        outcome: "existing",
        refund: { refundId },
      });
    });

    test("two refunds of two sales at once do not both take what is owed", async () => {
      const paidOut = await openPaidOutSale();
      const { shop, service } = paidOut;
      const next = await winChargeback(at, paidOut);
      await lookAtOrders(service);
      expect(await at.owedTo(shop)).toBe(3_000_000n);
      const { money } = shop.builder.payments;
      const refunds = [paidOut.orderId, next].map(
        (orderId) => () => money.createRefund({ orderId }),
      );
      const lock = "select lock_owed($1, 'usd')";
      expect(await callDuring(lock, shop, refunds)).toEqual(["paid", "refused"]);
      await lookAtOrders(service);
      expect(await at.owedTo(shop)).toBe(0n);
    });

    test.each(["builder", "rule"])(
      "a refund of another sale whose outcome is not known yet takes nothing of what covers one by the %s",
      async (by) => {
        const connected = await openConnectedShop(at);
        const { shop, service } = connected;
        const { planId } = await shop.builder.payments.plans.registerCreditsPlan(
          { name: "Promised", refundUnusedDays: 14 },
          getFiatPriceConfig(5_000_000n, shop.builder.address, "USD"),
          getFixedCreditsConfig(100n, 1n),
        );
        const won = await winChargeback(at, { ...connected, shop: { ...shop, planId } });
        const { orderId } = await orderCard(shop);
        await lookAtOrders(service);
        const caller = { account: shop.builder.address, keyId: null, isOperator: false };
        const ports = dying(service.ports, { step: "refunds.open", when: "after" });
        const killed = createRefund(
          { ports, keyHash: null, caller, requestId: "killed" },
          { orderId },
        );
        await expect(killed).rejects.toThrow("killed");
        expect(await at.owedTo(shop)).toBe(-2_000_000n);
        const { createRefund: refund } = shop.builder.payments.money;
        const { requestRefund } = shop.subscriber.payments.money;
        const made =
          by === "rule"
            ? await requestRefund({ orderId: won, reason: "Not needed" })
            : await refund({ orderId: won });
        expect(made).toMatchObject({ status: "paid", amount: "5000000" });
        await lookAtOrders(service);
        await resolveRefunds(service.ports);
        await lookAtOrders(service);
        expect([await connected.held(), await at.owedTo(shop)]).toEqual([0, 0n]);
      },
    );

    test("a refund counts on nothing that an earlier refund of another sale brought back before", async () => {
      const paidOut = await openPaidOutSale();
      const { shop, service, orderId } = paidOut;
      const { money } = shop.builder.payments;
      await winChargeback(at, paidOut);
      const { orderId: other, payment } = await orderCard(shop);
      await money.createRefund({ orderId: other, amount: 1_000_000n });
      await lookAtOrders(service);
      expect(await at.owedTo(shop)).toBe(3_000_000n);
      // A bank takes of it, and what it took is still to come back.
      at.fixture.processor.controls.openDispute(payment, "fraudulent", 200);
      const ports = dying(service.ports, { step: "orders.reverse", when: "after" });
      await expect(refreshOrder(ports, other)).rejects.toThrow("killed");
      expect(await at.owedTo(shop)).toBe(1_000_000n);
      const refund = { orderId, amount: 4_000_000n };
      await expect(money.createRefund(refund)).rejects.toThrow("Between 1 and 3000000");
    });

    test("a refund waits for a payout that begins, and takes nothing of it", async () => {
      const { shop, service, orderId } = await openWonSale(at);
      await lookAtOrders(service);
      await openBank(shop, service);
      await readClearings(service.ports, shop.builder.address, { isUrgent: true });
      const { money } = shop.builder.payments;
      const payout = "select begin_payout('under-way', $1, 'acct_1', 'usd', null, 1, null)";
      const refund = () => money.createRefund({ orderId });
      expect(await callDuring(payout, shop, [refund])).toEqual(["refused"]);
      expect(await at.owedTo(shop)).toBe(0n);
    });

    test("a sale that was paid out before its builder was connected is refunded as far as they are owed", async () => {
      const opened = await openConnectedShop(at);
      const { shop, service, connectedAccounts } = opened;
      const owner = shop.builder.address.toLowerCase();
      const account = connectedAccounts.get(owner) ?? "";
      connectedAccounts.delete(owner);
      const { orderId } = await orderCard(shop);
      await lookAtOrders(service);
      await service.ports.clock.advance(8 * 86_400);
      await lookAtOrders(service);
      await openBank(shop, service);
      await payOut(opened);
      expect(await at.owedTo(shop)).toBe(0n);
      const { money } = shop.builder.payments;
      connectedAccounts.set(owner, account);
      await expect(money.createRefund({ orderId })).rejects.toThrow("was paid out to you");
      connectedAccounts.delete(owner);
      // Later sales cover what they owe.
      expect(await money.createRefund({ orderId })).toMatchObject({ status: "paid" });
      expect(await at.owedTo(shop)).toBe(-5_000_000n);
    });

    test.each([300, 500])(
      "a refund that a rule promises is asked of the builder where a won chargeback of %i cents was paid out",
      async (disputed) => {
        const connected = await openConnectedShop(at);
        const { shop, service } = connected;
        const { planId } = await shop.builder.payments.plans.registerCreditsPlan(
          { name: "Promised", refundUnusedDays: 14 },
          getFiatPriceConfig(5_000_000n, shop.builder.address, "USD"),
          getFixedCreditsConfig(100n, 1n),
        );
        const orderId = await winChargeback(
          at,
          { ...connected, shop: { ...shop, planId } },
          disputed,
        );
        await lookAtOrders(service);
        await openBank(shop, service);
        await payOut(connected);
        const { requestRefund } = shop.subscriber.payments.money;
        const asked = await requestRefund({ orderId, reason: "Not needed" });
        expect(asked).toMatchObject({ status: "requested", madeBy: "subscriber" });
        const { listRefunds, acceptRefundRequest } = shop.builder.payments.money;
        expect((await listRefunds({})).items).toHaveLength(1);
        await expect(acceptRefundRequest({ refundId: asked.refundId })).rejects.toThrow(
          disputed === 500 ? "was paid out to you" : "Between 1 and 2000000",
        );
      },
    );
  },
);
