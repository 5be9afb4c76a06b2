"use server";

import { actionOf, actionsOf, change } from "@/app/_session/operations.ts";
import type { ActionAnswer } from "@/components/forms/action-answer.ts";
import type { RefundableOrder } from "@/components/refunds/refund-choices.tsx";

const action = actionsOf("/balance/refunds");

/** What an order can be refunded, with what its plan limits: pages call time no credits. */
export const getRefundable = async (orderId: string): Promise<ActionAnswer<RefundableOrder>> => {
  const answer = await change("getRefundable", { orderId });
  if (!answer.ok) return answer;
  const plan = await change("getPlan", { planId: answer.data.planId });
  if (!plan.ok) return plan;
  return { ok: true, data: { ...answer.data, accessLimit: plan.data.metadata.plan.accessLimit } };
};

export const createRefund = action("createRefund");

export const getRefundPayment = actionOf("getRefundPayment");

export const acceptRefundRequest = action("acceptRefundRequest");
export const declineRefundRequest = action("declineRefundRequest");
export const requestRefund = action("requestRefund");
