import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import { createTurns } from "./turns.ts";

/** Lists at once: each is two requests, of some hundred a second that charges need too. */
const MAX_RUNNING = 2;
const MAX_OF_ACCOUNT = 10;

/**
 * A card processor whose saved cards are listed a few at a time, the accounts in turn: the processor limits this service's
 * requests, and anyone may list their cards as often as the API allows.
 *
 * @example const cards = listInTurns(parts.cards)
 */
export function listInTurns(cards: CardProcessor): CardProcessor {
  const turns = createTurns({ running: MAX_RUNNING });
  const underWay = new Map<string, number>();
  const count = (account: string, change: 1 | -1) => {
    const now = (underWay.get(account) ?? 0) + change;
    if (now > 0) underWay.set(account, now);
    else underWay.delete(account);
  };
  return {
    ...cards,
    async listPaymentMethods(account) {
      if ((underWay.get(account) ?? 0) >= MAX_OF_ACCOUNT) {
        const hint = "Wait a second, then send it again.";
        const options = { retryAfterSecs: 1, hint };
        throw new PaymentsError("rate_limited", "Your cards are being listed already.", options);
      }
      count(account, 1);
      const end = await turns.take(account);
      return cards.listPaymentMethods(account).finally(() => {
        count(account, -1);
        end?.();
      });
    },
  };
}
