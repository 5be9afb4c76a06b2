import { getFiatPriceConfig, PaymentsError } from "@turnpike/payments/protocol";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { openSession } from "@/lib/domain/accounts/sessions.ts";
import { updatePlan } from "@/lib/domain/plans/plans.ts";
import { setRunning } from "@/lib/server/running.ts";
import { browser } from "../_session/testing/browser.ts";
import { type Payment, pay } from "./actions.ts";

const later: Promise<void>[] = [];
vi.mock("next/server", () => ({ after: (work: () => Promise<void>) => later.push(work()) }));

describe.each(ruleStores())("paying at the checkout, $name", ({ open }) => {
  const at = useCardService(open);

  beforeEach(() => {
    browser.origin = "http://service.test";
    run(at.service);
  });

  function run({ ports, pipeline }: Pick<typeof at.service, "ports" | "pipeline">) {
    const env = { origin: browser.origin };
    const chain = { deployment: { usdc: undefined } };
    setRunning(Promise.resolve({ env, ports, pipeline, chain } as never));
  }

  /** A subscriber with a link to the checkout, in the browser. */
  async function linked() {
    const shop = await openCardShop(at.service);
    const { subscriber, planId, card } = shop;
    const token = await openSession(at.service.ports, subscriber.address, "demo");
    browser.cookie = token;
    const { plans, holdings } = subscriber.payments;
    const { result } = await plans.orderFiatPlan(planId);
    const link = new URL(result.checkoutLink);
    const { session, ends } = Object.fromEntries(link.searchParams);
    const idempotencyKey = result.stripeCheckoutSessionId;
    // Replicas of the release before take the whole of it for the order's key.
    expect(session).toBe(idempotencyKey);
    return {
      ...shop,
      sessionId: idempotencyKey,
      pay: async (more: Partial<Payment> = {}) => {
        const paid = await pay({
          planId,
          follows: "first",
          version: 1,
          providerPaymentMethodId: card,
          session,
          ends,
          ...more,
        });
        if (!paid.ok || !("orderId" in paid.data)) throw new Error(JSON.stringify(paid));
        return paid.data.orderId;
      },
      read: async () => (await plans.orderFiatPlan(planId, { idempotencyKey })).result,
      statuses: async () =>
        (await holdings.listOrders({ planId })).items.map(({ status }) => status),
    };
  }

  test("a link is paid once, however often it is opened, and its session says so", async () => {
    const { pay, read, statuses } = await linked();
    expect(await read()).toMatchObject({ paymentStatus: "unpaid" });
    const orderId = await pay();
    await vi.waitFor(async () => expect(await statuses()).toEqual(["minted"]), { timeout: 10_000 });
    expect(await read()).toMatchObject({
      paymentStatus: "paid",
      checkoutLink: expect.stringContaining(`/${orderId}`),
    });
    // Opened again, the page knows the order before: another payment would follow it.
    expect(await pay({ follows: orderId })).toBe(orderId);
    expect(await statuses()).toEqual(["minted"]);
  });

  test("a link is not paid once it has expired, and a new one of its session is", async () => {
    const { pay, read, statuses, sessionId } = await linked();
    await at.service.ports.clock.advance(24 * 3600 + 1);
    await expect(pay()).rejects.toThrow("expired");
    expect(await statuses()).toEqual([]);
    const { checkoutLink, paymentStatus } = await read();
    expect(paymentStatus).toBe("unpaid");
    const anew = Object.fromEntries(new URL(checkoutLink).searchParams);
    const orderId = await pay(anew);
    await vi.waitFor(async () => expect(await statuses()).toEqual(["minted"]), { timeout: 10_000 });
    await at.service.ports.clock.advance(24 * 3600 + 1);
    // What was paid in time is shown by either link.
    expect(await pay({ ...anew, follows: orderId })).toBe(orderId);
    expect(await pay({ follows: orderId })).toBe(orderId);
    expect(await read()).toMatchObject({
      stripeCheckoutSessionId: sessionId,
      paymentStatus: "paid",
    });
  });

  test("a link of the release before, which has no end in it, is paid", async () => {
    const { pay, statuses, sessionId } = await linked();
    await pay({ session: sessionId, ends: undefined });
    await vi.waitFor(async () => expect(await statuses()).toEqual(["minted"]), { timeout: 10_000 });
  });

  test("after a declined card the same link is paid with another one", async () => {
    const { pay, read, statuses, card, subscriber } = await linked();
    at.fixture.processor.controls.declineCard(card, "InsufficientFunds");
    const declined = await pay();
    await vi.waitFor(async () => expect(await statuses()).toEqual(["declined"]), {
      timeout: 10_000,
    });
    expect(await read()).toMatchObject({ paymentStatus: "unpaid" });
    const { paymentMethodId } = await at.fixture.cards.saveCard(
      subscriber.address,
      "pm_card_mastercard",
    );
    const other = { follows: declined, providerPaymentMethodId: paymentMethodId ?? "" };
    const orderId = await pay(other);
    expect(orderId).not.toBe(declined);
    await vi.waitFor(async () => expect(await statuses()).toEqual(["minted", "declined"]), {
      timeout: 10_000,
    });
    expect(await read()).toMatchObject({ paymentStatus: "paid" });
    expect(await pay({ ...other, follows: orderId })).toBe(orderId);
  });

  test("a plan that changes while it is paid for is not ordered; its new terms are shown", async () => {
    const { planId, builder, card, statuses } = await linked();
    const { ports, pipeline } = at.service;
    const priceConfig = getFiatPriceConfig(9_000_000n, builder.address, "USD");
    // By another replica, once the checkout has looked at the plan.
    const perform: typeof pipeline.perform = async (call) => {
      const answer = await pipeline.perform(call);
      const isLook = call.operation === pipeline.find("getPlan");
      if (isLook) await updatePlan(builder.context, { planId, priceConfig });
      return answer;
    };
    run({ ports, pipeline: { ...pipeline, perform } });
    const paid = await pay({ planId, follows: "first", version: 1, providerPaymentMethodId: card });
    expect(paid).toMatchObject({ ok: true, data: { changed: { version: 2 } } });
    expect(await statuses()).toEqual([]);
  });

  test("a session is of one plan, and cannot take the name of another order", async () => {
    const { sessionId, subscriber, pay } = await linked();
    await pay();
    const { planId } = await openCardShop(at.service);
    await expect(
      subscriber.payments.plans.orderFiatPlan(planId, { idempotencyKey: sessionId }),
    ).rejects.toMatchObject({ code: "idempotency_conflict" });
    await expect(pay({ session: "renewal/1/2/0" })).rejects.toThrow("invalid_input");
  });

  test("a process that ends before its order is placed leaves no delegation behind", async () => {
    const { subscriber, planId, card, statuses } = await linked();
    const { ports, pipeline } = at.service;
    let end: ((cause: Error) => void) | undefined;
    const perform: typeof pipeline.perform = (call) =>
      call.operation === pipeline.find("orderPlan")
        ? new Promise((_, reject) => {
            end = reject;
          })
        : pipeline.perform(call);
    run({ ports, pipeline: { ...pipeline, perform } });
    const limits = { spendingLimitCents: "10000", durationSecs: 86_400, currency: "usd" };
    const order = { planId, follows: "first", version: 1, providerPaymentMethodId: card, limits };
    const paying = pay(order);
    const list = async () => (await subscriber.payments.delegation.listDelegations({})).items;
    await vi.waitFor(() => expect(end).toBeDefined(), { timeout: 10_000 });
    expect(await list()).toEqual([]);
    end?.(new PaymentsError("unavailable", "The process ended."));
    expect(await paying).toMatchObject({ ok: false });
    // A repeat makes the order and its delegation together.
    run({ ports, pipeline });
    expect(await pay(order)).toMatchObject({ ok: true });
    await vi.waitFor(async () => expect(await statuses()).toEqual(["minted"]), { timeout: 10_000 });
    const made = await list();
    expect(made).toMatchObject([{ status: "Active", transactionCount: 1 }]);
    const { items } = await ports.audit.list(subscriber.address, { limit: 10, offset: 0 });
    const notes = items.filter(({ subject }) => subject === made[0]?.delegationId);
    expect(notes.map(({ action }) => action)).toEqual(["delegation.create"]);
  });

  test("a delegation stays only with an order: none is made for one that was not begun", async () => {
    const { subscriber, planId, card, statuses } = await linked();
    const { ports, pipeline } = at.service;
    const limits = {
      spendingLimitCents: "10000",
      durationSecs: 86_400,
      maxTransactions: 5,
      currency: "usd",
    };
    const order = { planId, follows: "first", version: 1, providerPaymentMethodId: card, limits };
    const live = async (count: number) =>
      vi.waitFor(
        async () => {
          const { items } = await subscriber.payments.delegation.listDelegations({});
          expect(items.map(({ status }) => status)).toEqual(Array(count).fill("Active"));
        },
        { timeout: 10_000 },
      );
    const isOrder = (call: Parameters<typeof pipeline.perform>[0]) =>
      call.operation === pipeline.find("orderPlan");
    const failures = ["internal", "unavailable", "payment_refused"] as const;
    for (const code of failures) {
      const perform: typeof pipeline.perform = async (call) => {
        if (!isOrder(call)) return pipeline.perform(call);
        throw new PaymentsError(code, "The answer of an order.");
      };
      run({ ports, pipeline: { ...pipeline, perform } });
      expect(await pay(order)).toMatchObject({ ok: false, code });
      await live(0);
    }
    expect(await statuses()).toEqual([]);
    // The order is placed and its answer lost.
    const perform: typeof pipeline.perform = async (call) => {
      const answered = await pipeline.perform(call);
      if (!isOrder(call)) return answered;
      throw new PaymentsError("unavailable", "The answer of an order.");
    };
    run({ ports, pipeline: { ...pipeline, perform } });
    await pay(order);
    await vi.waitFor(async () => expect(await statuses()).toEqual(["minted"]), { timeout: 10_000 });
    await Promise.all(later);
    await live(1);
    // Another of the same quote is that order, and makes no other delegation.
    expect(await pay(order)).toMatchObject({ ok: true });
    await live(1);
  });
});
