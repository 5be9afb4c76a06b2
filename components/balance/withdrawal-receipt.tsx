import type { Withdrawal } from "@turnpike/payments/protocol";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { Address } from "../ui/values/address.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { balanceMoney } from "./balance-text.ts";

type ReceiptProps = { withdrawal: Withdrawal; amount: string; to: string; onAgain: () => void };

/** What was sent, where to and in which transaction. */
export function WithdrawalReceipt({ withdrawal, amount, to, onAgain }: ReceiptProps) {
  const { withdrawalId, status, txHash } = withdrawal;
  const isPaid = status === "paid";
  return (
    <div className="grid max-w-160 gap-4">
      <Notice
        role="status"
        tone={isPaid ? "settled" : "unknown"}
        title={isPaid ? "The withdrawal is paid" : "The withdrawal is under way"}
      >
        {isPaid
          ? "The chain has it."
          : "The outcome is not known yet. The amount stays reserved, and the service keeps looking."}
      </Notice>
      <Card>
        <DefinitionList
          items={[
            { term: "Amount", value: balanceMoney(amount, "usdc") },
            { term: "To", value: <Address value={to} /> },
            txHash !== undefined && {
              term: "Transaction",
              value: <Address value={txHash} name="transaction" />,
            },
            { term: "Withdrawal", value: <Identifier value={withdrawalId} name="withdrawal" /> },
          ]}
        />
      </Card>
      <div className="flex gap-2">
        <ButtonLink look="primary" href="/balance">
          Show balance
        </ButtonLink>
        <Button onClick={onAgain}>Withdraw again</Button>
      </div>
    </div>
  );
}
