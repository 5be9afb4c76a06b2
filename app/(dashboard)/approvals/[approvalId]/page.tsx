import type { Approval } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { ApprovalCard } from "@/components/budgets/approval-list.tsx";
import type { Routed } from "@/components/search-params.ts";
import { PageHeader } from "@/components/ui/page-header.tsx";
import * as actions from "../actions.ts";

export const metadata = { title: "Approval" };

function sentenceOf({ status, decidedAt }: Approval): string {
  if (status === "pending") {
    return "This request is waiting for your decision. The first decision is final.";
  }
  if (status !== "expired") return "This request has been decided.";
  return decidedAt
    ? "This request was decided, and the decision has expired."
    : "This request expired without a decision. Nothing was charged.";
}

export default async function ApprovalPage({ params }: Routed<"approvalId">) {
  const { approvalId } = await params;
  const approval = await read("getApproval", { approvalId });
  return (
    <>
      <PageHeader title="Approval">{sentenceOf(approval)}</PageHeader>
      <div className="max-w-180">
        <ApprovalCard approval={approval} actions={actions} />
      </div>
    </>
  );
}
