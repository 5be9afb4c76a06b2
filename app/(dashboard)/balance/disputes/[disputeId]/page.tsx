import { read } from "@/app/_session/operations.ts";
import { DISPUTE_STATES, reasonText } from "@/components/disputes/dispute-text.ts";
import { EvidenceForm } from "@/components/disputes/evidence-form.tsx";
import { priceText } from "@/components/refunds/refund-text.ts";
import { Figures } from "@/components/ui/data/figures.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { submitEvidence } from "../../dispute-actions.ts";

export const metadata = { title: "Dispute" };

type DisputePageProps = { params: Promise<{ disputeId: string }> };

export default async function DisputePage({ params }: DisputePageProps) {
  const dispute = await read("getDispute", { disputeId: (await params).disputeId });
  const { amount, currency, status, reason, planName, orderId, respondBy, submittedAt } = dispute;
  const { tone, word } = DISPUTE_STATES[status];
  const money = priceText(amount, currency);
  const canSubmit = status === "needs_response" && submittedAt === undefined;
  return (
    <>
      <PageHeader title={`Dispute over ${money}`} aside={<StatePill tone={tone}>{word}</StatePill>}>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {planName}, reason: {reasonText(reason)}
          <Identifier value={orderId} name="order ID" />
        </span>
      </PageHeader>
      <h2 className="sr-only">Amounts and deadline</h2>
      <Figures
        figures={[
          {
            label: submittedAt ? "Evidence sent" : "Respond by",
            value: submittedAt || respondBy ? <TimeAgo at={submittedAt ?? respondBy ?? ""} /> : "–",
            note: canSubmit ? "Without a response the dispute is lost" : undefined,
          },
          {
            label: "Taken by the bank",
            value: status === "won" ? priceText("0", currency) : money,
          },
          { label: "If you win", value: `+${money}`, note: "Back in what you are owed" },
          { label: "If you lose", value: `−${money}`, note: "Unused credits stay removed" },
        ]}
      />
      <EvidenceForm dispute={dispute} canSubmit={canSubmit} submitEvidence={submitEvidence} />
    </>
  );
}
