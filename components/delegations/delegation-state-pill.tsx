import type { DelegationSummary } from "@turnpike/payments/protocol";
import { StatePill } from "../ui/values/state-pill.tsx";

type DelegationStatePillProps = {
  delegation: Pick<DelegationSummary, "status">;
};

export function DelegationStatePill({ delegation: { status } }: DelegationStatePillProps) {
  if (status !== "AwaitingSignature") return <StatePill state={status} />;
  return (
    <StatePill tone="warn" icon="wallet">
      Not signed
    </StatePill>
  );
}
