import type { SettleRow } from "@/lib/domain/ledger-rows.ts";

type Lists = { ords: number[]; ids: string[]; settlements: string[]; transactions: string[] };

/** Settlements as the ledger takes them: what many have in common, as those of a lease, is sent and looked up once. */
export function together(items: SettleRow[]) {
  const rows = new Map<
    string,
    Omit<SettleRow, "agentRequestId" | "settlementId" | "transaction"> & Lists
  >();
  items.forEach(({ agentRequestId, settlementId, transaction, amount, ...same }, ord) => {
    const key = JSON.stringify([`${amount}`, same]);
    const row = rows.get(key) ?? {
      ...same,
      amount,
      ords: [],
      ids: [],
      settlements: [],
      transactions: [],
    };
    row.ords.push(ord);
    row.ids.push(agentRequestId);
    row.settlements.push(settlementId);
    row.transactions.push(transaction);
    rows.set(key, row);
  });
  return Array.from(rows.values());
}
