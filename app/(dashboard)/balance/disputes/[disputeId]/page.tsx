import { read } from "@/app/_session/operations.ts";
import { disputeState, needsEvidence, reasonText } from "@/components/disputes/dispute-text.ts";
import { EvidenceForm } from "@/components/disputes/evidence-form.tsx";
import type { Routed } from "@/components/search-params.ts";
import { Figures } from "@/components/ui/data/figures.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { currencyMoney } from "@/components/ui/values/currency-money.ts";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { dateText } from "@/components/ui/values/time-text.ts";
import { getRunning } from "@/lib/server/running.ts";
import { submitEvidence } from "../../dispute-actions.ts";

export const metadata = { title: "Dispute" };

export default async function DisputePage({ params }: Routed<"disputeId">) {
  const { disputeId } = await params;
  const { ports } = await getRunning();
  const [dispute, at] = await Promise.all([read("getDispute", { disputeId }), ports.clock.now()]);
  const { amount, currency, status, reason, planName, orderId, respondBy, submittedAt } = dispute;
  const now = at.toISOString();
  const money = currencyMoney(amount, currency);
  const moment = submittedAt ?? respondBy;
  const isOpen = status === "needs_response" && submittedAt === undefined;
  const canSubmit = isOpen && needsEvidence(dispute, now);
  return (
    <>
      <PageHeader
        title={`Dispute over ${money}`}
        aside={<StatePill state={disputeState(dispute, now)} />}
      >
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {planName}, reason: {reasonText(reason)}
          <span className="inline-flex items-center gap-1">
            Order <Identifier value={orderId} name="order ID" />
          </span>
        </span>
      </PageHeader>
      <h2 className="sr-only">Amounts and deadline</h2>
      <Figures
        figures={[
          {
            label: submittedAt ? "Evidence sent" : "Respond by",
            value: moment ? dateText(new Date(moment)) : "–",
            note: moment && (
              <>
                <TimeAgo at={moment} />
                {canSubmit && ". If you don’t respond, you lose the dispute."}
                {isOpen && !canSubmit && ". The deadline has passed, and the bank decides."}
              </>
            ),
          },
          {
            label: "Withheld by the bank",
            value: status === "won" ? currencyMoney("0", currency) : money,
          },
          { label: "If you win", value: `+${money}`, note: "Returned to your balance" },
          {
            label: "If you lose",
            value: currencyMoney("0", currency),
            note: `The bank keeps ${money}. Unused credits stay removed.`,
          },
        ]}
      />
      <EvidenceForm dispute={dispute} canSubmit={canSubmit} submitEvidence={submitEvidence} />
    </>
  );
}
