import "server-only";
import { type Cards, openCards } from "@/lib/adapters/cards/open-cards.ts";
import type { CardCustomers } from "@/lib/domain/card-ports.ts";
import type { Faults } from "@/lib/sandbox/card-processor/faults.ts";
import type { Sandbox } from "@/lib/sandbox/open-sandbox.ts";
import type { ComparedProcessor } from "./comparison/ledger-comparison.ts";
import type { Env } from "./env.ts";

/** Card charges and webhooks, and the key that pages may know. */
export type CardServices = Cards & {
  publishableKey: string;
  /** The processor's address, unless it is Stripe's own. */
  apiBase?: string | undefined;
  stop?: () => Promise<void>;
  faults?: Faults;
  /** Confirms a pending setup as the embedded processor's cardholder. */
  confirmAsHolder?: (setupIntentId: string) => void;
};

/** What the ledger is compared with. */
export const processorOf = (cards: Cards | null): ComparedProcessor | null =>
  cards && { records: cards.records, scheme: cards.rail.scheme };

/** Charges cards through Stripe, or through the sandbox's processor, which speaks the same HTTP; null without cards. */
export async function openCardServices(
  { environment, stripe, connectedAccounts, rails }: Env,
  sandbox: Pick<Sandbox, "startCardProcessor"> | undefined,
  customers: CardCustomers,
): Promise<CardServices | null> {
  if (!rails.cards) return null;
  const common = { environment, connectedAccounts, customers };
  if (stripe) {
    const { publishableKey, apiBase } = stripe;
    return { ...openCards({ ...stripe, ...common }), publishableKey, apiBase };
  }
  if (!sandbox) throw new Error("Live needs the STRIPE_ settings to charge cards.");
  const processor = await sandbox.startCardProcessor();
  const { publishableKey, apiBase, stop, faults } = processor;
  const cards = openCards({ ...processor, ...common });
  return {
    ...cards,
    publishableKey,
    apiBase,
    stop,
    faults,
    confirmAsHolder: processor.authenticate,
  };
}
