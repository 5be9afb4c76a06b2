"use server";

import { changeOf } from "@/app/_session/operations.ts";

const changeApprovals = changeOf("/approvals", "layout");

const decision = (approvalId: string, secret?: string) => ({
  approvalId,
  ...(secret && { secret }),
});

export async function approveRequest(approvalId: string, secret?: string) {
  return changeApprovals("approveRequest", decision(approvalId, secret));
}

export async function declineRequest(approvalId: string, secret?: string) {
  return changeApprovals("declineRequest", decision(approvalId, secret));
}
