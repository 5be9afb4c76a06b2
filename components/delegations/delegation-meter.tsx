import type { DelegationSummary } from "@turnpike/payments/protocol";
import { Meter } from "../ui/data/meter.tsx";
import { endOf, isStopped, momentText, nameOf, unitOf } from "./delegation-text.ts";

type DelegationMeterProps = {
  delegation: DelegationSummary;
  now: string;
};

/** How much of a delegation's money, charges and time is used. */
export function DelegationMeter({ delegation, now }: DelegationMeterProps) {
  const { status, expiresAt } = delegation;
  return (
    <Meter
      label={nameOf(delegation)}
      now={now}
      currency={unitOf(delegation)}
      spendingLimitCents={BigInt(delegation.spendingLimitCents)}
      amountSpentCents={BigInt(delegation.amountSpentCents)}
      amountReservedCents={BigInt(delegation.amountReservedCents)}
      transactionCount={delegation.transactionCount}
      maxTransactions={delegation.maxTransactions}
      createdAt={delegation.createdAt}
      expiresAt={expiresAt}
      {...(isStopped(delegation) && {
        stopped: `${status} ${momentText(endOf(delegation), new Date(now))}`,
      })}
    />
  );
}
