import type { Approval } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { ApprovalCard } from "@/components/budgets/approval-list.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import * as actions from "../actions.ts";

export const metadata = { title: "Approval" };

const SENTENCES: Partial<Record<Approval["status"], string>> = {
  pending: "This request is waiting for your decision. The first decision is final.",
  expired: "Nobody decided in time: nothing was charged.",
};

type ApprovalPageProps = { params: Promise<{ approvalId: string }> };

export default async function ApprovalPage({ params }: ApprovalPageProps) {
  const { approvalId } = await params;
  const approval = await read("getApproval", { approvalId });
  return (
    <>
      <PageHeader title="Approval">
        {SENTENCES[approval.status] ?? "This request has been decided."}
      </PageHeader>
      <div className="max-w-180">
        <ApprovalCard approval={approval} actions={actions} />
      </div>
    </>
  );
}
