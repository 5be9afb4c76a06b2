import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Stripe } from "stripe";
import { openJsonLines } from "@/lib/adapters/chain/bundler/json-lines.ts";
import type { CardBehaviour } from "./test-cards.ts";

/** How a saved card behaves; internal, never returned. */
type CardRecord = { object: "card_record"; id: string } & CardBehaviour;

/** An answer stored under its idempotency key. */
type KeptAnswer = {
  object: "kept_answer";
  id: string;
  fingerprint: string;
  status: number;
  body: string;
  at: number;
};

export type StoredEvent = {
  object: "event";
  id: string;
  /** The connected account it is about; left out for the platform's own. */
  account?: string;
  api_version: string;
  created: number;
  data: { object: unknown };
  livemode: boolean;
  /** Endpoints that have not acknowledged it yet; survives a restart. */
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
};

export type StoredDispute = Omit<Stripe.Dispute, "evidence"> & { evidence: Record<string, string> };
/** Whose row it is, and what else only this processor knows of an account or a link; internal, never returned. */
export type ConnectRecord = {
  object: "connect_record";
  id: string;
  /** Null is the platform. */
  account: string | null;
  hasClosedBank?: boolean;
  isClosed?: boolean;
  isOff?: boolean;
  /** Currencies that the platform has bank accounts for; charges in others are converted into the first. All by default. */
  settlesIn?: string[];
  /** How long a charge takes to become available in the platform's balance; at once by default. */
  clearsAfterSecs?: number;
  /** The least that a payout may be; one minor unit by default. */
  leastPayout?: number;
  payoutInterval?: string;
  /** Search is not offered to merchants in India. */
  hasNoSearch?: boolean;
  /** How many seconds a search lags behind the store, as Stripe's does; none by default. */
  searchLagSecs?: number;
  returnUrl?: string;
  refreshUrl?: string;
  expiresAt?: number;
};

export type Stored = {
  customer: Stripe.Customer;
  payment_method: Stripe.PaymentMethod;
  setup_intent: Stripe.SetupIntent;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: StoredDispute;
  account: Stripe.Account;
  transfer: Stripe.Transfer;
  transfer_reversal: Stripe.TransferReversal;
  payout: Stripe.Payout;
  balance_transaction: Stripe.BalanceTransaction;
  connect_record: ConnectRecord;
  event: StoredEvent;
  card_record: CardRecord;
  kept_answer: KeptAnswer;
};
export type Kind = keyof Stored;
export type AnyStored = Stored[Kind];

/** One request's changes, written together or not at all. */
export type Work = {
  find: <K extends Kind>(kind: K, id: string) => Stored[K] | undefined;
  /** Every row of a kind, oldest first. */
  all: <K extends Kind>(kind: K) => Stored[K][];
  put: (row: AnyStored) => void;
  changes: AnyStored[];
};

export type Store = ReturnType<typeof openStore>;

/**
 * Opens the processor's store: data in memory, with every change appended to a journal first. Opening rewrites the
 * journal without history.
 */
export function openStore(dataDir: string) {
  mkdirSync(dataDir, { recursive: true });
  const lines = openJsonLines(join(dataDir, "journal.jsonl"));
  const tables = new Map<Kind, Map<string, AnyStored>>();
  const tableOf = (kind: Kind) => {
    const table = tables.get(kind) ?? new Map<string, AnyStored>();
    tables.set(kind, table);
    return table;
  };
  const apply = (rows: AnyStored[]) => {
    for (const row of rows) tableOf(row.object).set(row.id, row);
  };
  for (const rows of lines.read()) apply(rows as AnyStored[]);
  lines.rewrite([...tables.values()].flatMap((table) => [...table.values()].map((row) => [row])));

  return {
    begin(): Work {
      const changed = new Map<string, AnyStored>();
      const find = <K extends Kind>(kind: K, id: string) =>
        structuredClone(changed.get(`${kind}/${id}`) ?? tableOf(kind).get(id)) as
          | Stored[K]
          | undefined;
      return {
        find,
        all<K extends Kind>(kind: K) {
          const ids = new Set(tableOf(kind).keys());
          for (const row of changed.values()) if (row.object === kind) ids.add(row.id);
          const rowOf = (id: string) => changed.get(`${kind}/${id}`) ?? tableOf(kind).get(id);
          return [...ids].map((id) => rowOf(id) as Stored[K]);
        },
        put: (row) => changed.set(`${row.object}/${row.id}`, structuredClone(row)),
        get changes() {
          return [...changed.values()];
        },
      };
    },
    /** Writes a unit's changes as one line. Once this returns, they survive a kill. */
    commit({ changes }: Work): void {
      if (changes.length === 0) return;
      lines.append(changes);
      apply(changes);
    },
    close: lines.close,
  };
}
