import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import type { CardCustomers } from "@/lib/domain/card-ports.ts";
import { NO_OUTCOME } from "@/lib/domain/orders/pay-order.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "@/lib/domain/records.ts";
import type { EmbeddedProcessorOptions } from "@/lib/sandbox/card-processor/start-embedded-processor.ts";
import {
  type ControlledProcessor,
  startControlledProcessor,
} from "@/lib/sandbox/card-processor/testing/controlled-processor.ts";
import { type Cards, openCards } from "../open-cards.ts";
import { recordExchanges } from "./record-exchanges.ts";

export type CardFixture = Cards & {
  processor: ControlledProcessor;
  dataDir: string;
  /** Another replica against the same processor, with nothing remembered. */
  replica: (options?: {
    timeoutMs?: number;
    secretKey?: string;
    webhookSecrets?: readonly string[];
    customers?: CardCustomers;
    apiBase?: string;
    now?: () => Date;
    connectedAccounts?: ReadonlyMap<string, string>;
  }) => Cards;
  close: () => Promise<void>;
};

export async function startCardFixture(
  options: Omit<EmbeddedProcessorOptions, "dataDir"> = {},
): Promise<CardFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-cards-"));
  const processor = await startControlledProcessor({ ...options, dataDir });
  // Where `npm run proof -- stripe-api` keeps what the SDK sends and gets.
  const record = process.env.STRIPE_RECORD;
  const recorder = record ? await recordExchanges(processor.apiBase, record) : null;
  const customers = keepCustomers();
  const replica: CardFixture["replica"] = (own = {}) =>
    openCards({
      secretKey: processor.secretKey,
      apiBase: recorder?.apiBase ?? processor.apiBase,
      webhookSecrets: processor.webhookSecrets,
      publishableKey: processor.publishableKey,
      confirmationUrlOf: processor.confirmationUrlOf,
      environment: "sandbox",
      customers,
      ...own,
    });
  return {
    ...replica(),
    processor,
    dataDir,
    replica,
    async close() {
      await recorder?.stop();
      await processor.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What a ledger keeps of customers, for all replicas. */
export function keepCustomers(): CardCustomers {
  const kept = new Map<string, string>();
  return {
    find: async (account) => kept.get(account) ?? null,
    async keep(account, customer, instead) {
      if ((kept.get(account) ?? null) === instead) kept.set(account, customer);
      return kept.get(account) ?? customer;
    },
  };
}

export const randomAccount = (): string => `0x${randomBytes(20).toString("hex")}`;

/** An order as the domain hands it to a rail; price in millionths. */
export function orderFor(account: string, terms: Partial<OrderRecord> = {}): OrderRecord {
  const now = new Date();
  return {
    orderId: randomBytes(12).toString("hex"),
    account,
    planId: "1",
    planVersion: 1,
    isTrial: false,
    status: "reserved",
    scheme: "svc:card-delegation",
    price: 5_000_000n,
    currency: "usd",
    reservedCents: 500n,
    reservedAmount: 0n,
    endsDelegation: false,
    cents: 500n,
    delegationId: null,
    jti: null,
    agentId: null,
    paymentMethodId: null,
    idempotencyKey: null,
    fingerprint: "",
    attempt: 0,
    ...NO_OUTCOME,
    createdAt: now,
    updatedAt: now,
    ...terms,
  };
}

/** The order's record after a charge with an unknown outcome. */
export const repeatOf = (order: OrderRecord): OrderRecord => ({
  ...order,
  status: "charging",
  attempt: order.attempt + 1,
});

export function planFor({ price, currency }: OrderRecord): PlanRecord {
  const now = new Date();
  const owner = randomAccount();
  return {
    planId: "1",
    owner,
    state: "listed",
    version: 1,
    accessLimit: "credits",
    isTrial: false,
    metadata: { name: "Starter" },
    nonce: null,
    price: getFiatPriceConfig(price, owner, currency.toUpperCase()),
    credits: getFixedCreditsConfig(100n, 1n),
    redeemers: [],
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
  };
}

export function delegationFor(
  account: string,
  terms: Partial<DelegationRecord> = {},
): DelegationRecord {
  const now = new Date();
  return {
    delegationId: "d1",
    account,
    provider: "card-processor",
    paymentMethodId: null,
    currency: "usd",
    planIds: [],
    spendingLimitCents: 10_000n,
    spentCents: 0n,
    reservedCents: 0n,
    orderLimit: null,
    maxTransactions: null,
    transactionCount: 0,
    sessionKeyAddress: randomAccount(),
    sessionKey: "",
    createdAt: now,
    expiresAt: new Date(now.getTime() + 86_400_000),
    revokedAt: null,
    ...terms,
  };
}
