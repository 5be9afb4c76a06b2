import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Stripe } from "stripe";
import type { CardBehaviour } from "./test-cards.ts";

/** How a saved card behaves; internal, never returned. */
export type CardRecord = { object: "card_record"; id: string } & CardBehaviour;

/** An answer stored under its idempotency key. */
export type KeptAnswer = {
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
  api_version: string;
  created: number;
  data: { object: unknown };
  livemode: boolean;
  /** Endpoints that have not acknowledged it yet; survives a restart. */
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
};

export type StoredDispute = Omit<Stripe.Dispute, "evidence"> & { evidence: Record<string, null> };

export type Stored = {
  customer: Stripe.Customer;
  payment_method: Stripe.PaymentMethod;
  setup_intent: Stripe.SetupIntent;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: StoredDispute;
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

export type Store = {
  begin: () => Work;
  /** Writes a unit's changes as one line. Once this returns, they survive a kill. */
  commit: (work: Work) => void;
  close: () => void;
};

/**
 * Opens the processor's store: data in memory, with every change appended to a journal first. A last line that a crash
 * cut short was never acknowledged and is dropped. Opening rewrites the journal without history.
 */
export function openStore(dataDir: string): Store {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, "journal.jsonl");
  const tables = new Map<Kind, Map<string, AnyStored>>();
  const tableOf = (kind: Kind) => {
    const table = tables.get(kind) ?? new Map<string, AnyStored>();
    tables.set(kind, table);
    return table;
  };
  const apply = (rows: AnyStored[]) => {
    for (const row of rows) tableOf(row.object).set(row.id, row);
  };
  for (const line of wholeLines(path)) apply(JSON.parse(line));
  const file = rewrite(path, tables);

  return {
    begin() {
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
    commit({ changes }) {
      if (changes.length === 0) return;
      writeSync(file, `${JSON.stringify(changes)}\n`);
      apply(changes);
    },
    close: () => closeSync(file),
  };
}

function wholeLines(path: string): string[] {
  if (!existsSync(path)) return [];
  const content = readFileSync(path, "utf8");
  return content
    .slice(0, content.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean);
}

/** Writes the compacted journal to a new file, then replaces the old one. */
function rewrite(path: string, tables: Map<Kind, Map<string, AnyStored>>): number {
  const rows = [...tables.values()].flatMap((table) => [...table.values()]);
  writeFileSync(`${path}.new`, rows.map((row) => `${JSON.stringify([row])}\n`).join(""), {
    mode: 0o600,
  });
  const written = openSync(`${path}.new`, "r");
  fsyncSync(written);
  closeSync(written);
  renameSync(`${path}.new`, path);
  return openSync(path, "a");
}
