import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import { createTurns } from "./turns.ts";

/** Lists at once and that wait: each is two requests, of some hundred a second that charges need too. */
const LISTS = { running: 10, waiting: 100 };
const MOST_OF_ACCOUNT = 20;

const SOON = { retryAfterSecs: 1, hint: "Wait a second, then send it again." };

/**
 * A card processor whose saved cards are listed a few at a time, the accounts in turn: the processor limits this service's
 * requests, and anyone may list their cards as often as the API allows.
 *
 * @example const cards = listInTurns(parts.cards)
 */
export function listInTurns(cards: CardProcessor): CardProcessor {
  const turns = createTurns(LISTS);
  const underWay = new Map<string, number>();
  const count = (account: string, change: 1 | -1) => {
    const now = (underWay.get(account) ?? 0) + change;
    if (now > 0) underWay.set(account, now);
    else underWay.delete(account);
  };
  return {
    ...cards,
    async listPaymentMethods(account) {
      if ((underWay.get(account) ?? 0) >= MOST_OF_ACCOUNT) {
        throw new PaymentsError("rate_limited", "Your cards are being listed already.", SOON);
      }
      count(account, 1);
      try {
        const end = await turns.take(account);
        if (!end) throw new PaymentsError("unavailable", "Too many cards are being listed.", SOON);
        return await cards.listPaymentMethods(account).finally(end);
      } finally {
        count(account, -1);
      }
    },
  };
}
