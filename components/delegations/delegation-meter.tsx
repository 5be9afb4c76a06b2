import type { DelegationSummary } from "@turnpike/payments/protocol";
import { Meter } from "../ui/data/meter.tsx";
import { endsText, nameOf } from "./delegation-text.ts";

/** The three limits of a delegation: money, charges, time. */
export function DelegationMeter({
  delegation,
  now,
}: {
  delegation: DelegationSummary;
  now: string;
}) {
  const { status, revokedAt, expiresAt } = delegation;
  return (
    <Meter
      label={nameOf(delegation)}
      now={now}
      currency={delegation.currency}
      spendingLimitCents={BigInt(delegation.spendingLimitCents)}
      amountSpentCents={BigInt(delegation.amountSpentCents)}
      amountReservedCents={BigInt(delegation.amountReservedCents)}
      transactionCount={delegation.transactionCount}
      maxTransactions={delegation.maxTransactions}
      createdAt={delegation.createdAt}
      expiresAt={expiresAt}
      {...(revokedAt && { stopped: `Stopped ${endsText(revokedAt, new Date(now))}` })}
      {...(status === "Expired" && { stopped: `Ended ${endsText(expiresAt, new Date(now))}` })}
    />
  );
}
