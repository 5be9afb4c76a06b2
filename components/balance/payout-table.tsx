"use client";

import type { Payout } from "@turnpike/payments/protocol";
import { ButtonLink } from "../ui/button-link.tsx";
import { createTable } from "../ui/data/create-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Notice } from "../ui/notice.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { Identifier } from "../ui/values/identifier.tsx";
import { type State, StatePill } from "../ui/values/state-pill.tsx";

const STATES: Record<Payout["status"], State> = {
  open: { tone: "running", word: "Processing" },
  sent: { tone: "running", word: "On its way" },
  paid: { tone: "good", word: "Paid" },
  returning: { tone: "warn", word: "Returning" },
  failed: { tone: "bad", word: "Failed" },
};

const columns: DataColumns<Payout> = [
  { id: "createdAt", head: "Requested", phone: "title", isTime: "full" },
  {
    id: "payoutId",
    head: "Payout",
    hasActions: true,
    phone: "hidden",
    cell: ({ payoutId }) => <Identifier value={payoutId} name="payout" />,
  },
  {
    id: "status",
    head: "Status",
    cell: ({ status }) => <StatePill state={STATES[status]} />,
  },
  { id: "arrivesAt", label: "Arrives", isTime: "full", none: "–" },
  {
    id: "amount",
    head: "Amount",
    align: "end",
    phone: "end",
    cell: ({ amount, currency }) => currencyMoney(amount, currency),
  },
];

/** Every payout; a failed one says why, where the money is and what to do. */
export const PayoutTable = createTable<Payout>({
  caption: "Payouts",
  columns,
  rowId: ({ payoutId }) => payoutId,
  expansionOf: (payout) => payout.failure && <Failure {...payout} failure={payout.failure} />,
  empty: (
    <Empty
      kind="first"
      title="No payouts yet"
      actions={<ButtonLink href="/plans">View plans</ButtonLink>}
    >
      Sell a plan by card. Once payouts are set up and a payment clears, its payout appears here.
    </Empty>
  ),
});

type FailureProps = Payout & { failure: NonNullable<Payout["failure"]> };

function Failure({ failure, amount, currency, status }: FailureProps) {
  const money = currencyMoney(amount, currency);
  return (
    <Notice tone="refused" title={failure.message} code={failure.code}>
      {status === "failed"
        ? `${money} is back in your balance.`
        : `${money} is on its way back to your balance.`}
    </Notice>
  );
}
