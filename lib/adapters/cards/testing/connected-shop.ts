import { refreshOrder, resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { type CardShop, openCardShop } from "./card-shop.ts";
import type { useCardService } from "./use-card-service.ts";

type At = Pick<ReturnType<typeof useCardService>, "database" | "fixture">;

/** A shop whose builder's account is paid with each charge, where others pay a fee; `restart` starts the service again. */
export async function openConnectedShop({ database, fixture }: At, feeBps = 0) {
  const { stripe, processor, replica } = fixture;
  const connectedAccounts = new Map<string, string>();
  const errors: string[] = [];
  const log = {
    info: () => {},
    warn: () => {},
    error: (_: object, text: string) => void errors.push(text),
  };
  const restart = (now?: () => Date): TestService => {
    const { rail, cards } = replica({ connectedAccounts, ...(now && { now }) });
    const platformFee = { defaultBps: feeBps, byController: new Map() };
    const moneyOut = { payoutProcessor: fixture.payouts, platformFee };
    return createTestService(database, { rails: [rail], cards, log, moneyOut });
  };
  const service = restart();
  const shop = await openCardShop(service);
  const { id: account } = await stripe.accounts.create({
    type: "express",
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
  });
  processor.controls.onboard(account);
  connectedAccounts.set(shop.builder.address.toLowerCase(), account);
  const bank = { stripeAccount: account };
  return {
    shop,
    service,
    restart,
    connectedAccounts,
    errors,
    /** In cents. */
    async held() {
      const { available } = await stripe.balance.retrieve({}, bank);
      return available.find(({ currency }) => currency === "usd")?.amount ?? 0;
    },
    /** Pays the account out to its bank; the result brings the money back. */
    async empty(amount = 500) {
      const { id } = await stripe.payouts.create({ amount, currency: "usd" }, bank);
      return () => processor.controls.finishPayout(id, "could_not_process");
    },
  };
}

export async function orderCard({ subscriber, planId }: CardShop) {
  const { orderId, txHash } = await subscriber.payments.plans.orderPlan(planId);
  return { orderId, payment: txHash ?? "" };
}

/** Looks at the orders that are due in five minutes. */
export async function lookAtOrders({ ports }: Pick<TestService, "ports">): Promise<void> {
  await ports.clock.advance(301);
  await resolveOrders(ports);
}

/** Orders the shop's plan, and has a chargeback of it won; the order's id. */
export async function winChargeback(
  { fixture }: At,
  { shop, service }: Pick<Awaited<ReturnType<typeof openConnectedShop>>, "shop" | "service">,
  disputed = 300,
): Promise<string> {
  const { orderId, payment } = await orderCard(shop);
  const { controls } = fixture.processor;
  const dispute = controls.openDispute(payment, "fraudulent", disputed);
  await refreshOrder(service.ports, orderId);
  controls.endDispute(dispute, "won");
  await refreshOrder(service.ports, orderId);
  return orderId;
}

/** A sale of 5.00 of which 3.00 were disputed, and won. */
export async function openWonSale(at: At) {
  const opened = await openConnectedShop(at);
  return { ...opened, orderId: await winChargeback(at, opened) };
}
