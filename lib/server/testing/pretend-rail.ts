import { type CardSetup, PaymentsError } from "@turnpike/payments/protocol";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { SettlementRail } from "@/lib/domain/ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";

/** How a pretend payment ends: paid, refused, or unknown, without an answer. */
export type Ending = "pay" | "refuse" | "lose the answer" | "lose the request";

export type PretendRail = SettlementRail & {
  /** What the next payments do. */
  setEnding: (ending: Ending) => void;
  /** Every order that was paid, in order: an order is paid at most once, however often it is asked for. */
  paid: () => OrderRecord[];
  /** How often a payment was asked for, repeats included. */
  asked: () => number;
};

/**
 * A settlement rail that moves pretend cash. Like a real one it pays an order once, whatever number of
 * times it is asked, and may lose the answer to a payment it made.
 */
export function createPretendRail(
  scheme: SettlementRail["scheme"] = "svc:erc4337",
  options: { delayMs?: () => number } = {},
): PretendRail {
  const paid = new Map<string, OrderRecord>();
  let ending: Ending = "pay";
  let asked = 0;

  const isCard = scheme === "svc:card-delegation";
  return {
    scheme,
    provider: isCard ? "card-processor" : "erc4337",
    network: isCard ? "card-processor" : "eip155:84532",
    mirrors: false,
    firstChainStatus: "none",
    setEnding: (next) => {
      ending = next;
    },
    paid: () => [...paid.values()],
    asked: () => asked,
    async charge(order): Promise<ChargeOutcome> {
      asked += 1;
      const mode = ending;
      if (options.delayMs) await new Promise((wake) => setTimeout(wake, options.delayMs?.()));
      const known = paid.has(order.orderId);
      if (mode === "refuse" && !known) {
        return { status: "refused", code: "no_cash", message: "The pocket is empty." };
      }
      if (mode === "lose the request" && !known) throw new Error("The request was lost.");
      paid.set(order.orderId, order);
      if (mode === "lose the answer") throw new Error("The answer was lost.");
      return { status: "paid", reference: `cash_${order.orderId}` };
    },
    signers: () => ({ pattern: "*", addresses: [] }),
    isHealthy: async () => true,
  };
}

async function pretendSetup(account: string, id = `seti_${account}`): Promise<CardSetup> {
  if (id !== `seti_${account}`) throw noSuchCard();
  const forPage = { clientSecret: `${id}_secret`, publishableKey: "pk_test_pretend" };
  return { setupIntentId: id, status: "succeeded", paymentMethodId: `pm_${account}`, ...forPage };
}

async function requirePretendCard(account: string, id: string): Promise<void> {
  if (id !== `pm_${account}`) throw noSuchCard();
}

const noSuchCard = () => new PaymentsError("not_found", "There is no such saved card of yours.");

/** A wallet with one card in it for each account, named by the account; nothing changes it. */
export const pretendCards: CardProcessor = {
  startCard: (account) => pretendSetup(account),
  finishCard: pretendSetup,
  saveCard: (account) => pretendSetup(account),
  removeCard: requirePretendCard,
  setDefaultCard: requirePretendCard,
  listPaymentMethods: async (account) => [
    {
      id: `pm_${account}`,
      type: "card",
      brand: "visa",
      last4: "4242",
      expMonth: 12,
      expYear: 2040,
      isDefault: true,
    },
  ],
};
