import type { DelegationSummary } from "@turnpike/payments/protocol";
import { StatePill } from "../ui/values/state-pill.tsx";

export function DelegationStatePill({
  delegation: { status },
}: {
  delegation: Pick<DelegationSummary, "status">;
}) {
  if (status !== "AwaitingSignature") return <StatePill state={status} />;
  return (
    <StatePill tone="warn" icon="wallet">
      Not signed
    </StatePill>
  );
}
