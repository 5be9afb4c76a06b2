"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/approvals", "layout");

const decision = (approvalId: string, secret?: string) => ({
  approvalId,
  ...(secret && { secret }),
});

export async function approveRequest(approvalId: string, secret?: string) {
  return action("approveRequest")(decision(approvalId, secret));
}

export async function declineRequest(approvalId: string, secret?: string) {
  return action("declineRequest")(decision(approvalId, secret));
}
