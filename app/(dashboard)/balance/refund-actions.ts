"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change, changeOf } from "@/app/_session/operations.ts";
import type { ActionAnswer } from "@/components/forms/action-answer.ts";
import type { RefundableOrder } from "@/components/refunds/refund-choices.tsx";

const changeRefunds = changeOf("/balance/refunds");

/** What an order can be refunded, with what its plan limits: pages call time no credits. */
export const getRefundable = async (orderId: string): Promise<ActionAnswer<RefundableOrder>> => {
  const answer = await change("getRefundable", { orderId });
  if (!answer.ok) return answer;
  const plan = await change("getPlan", { planId: answer.data.planId });
  if (!plan.ok) return plan;
  return { ok: true, data: { ...answer.data, accessLimit: plan.data.metadata.plan.accessLimit } };
};

export const createRefund = async (input: InputOf<"createRefund">) =>
  changeRefunds("createRefund", input);

export const getRefundPayment = async (input: InputOf<"getRefundPayment">) =>
  change("getRefundPayment", input);

export const acceptRefundRequest = async (input: InputOf<"acceptRefundRequest">) =>
  changeRefunds("acceptRefundRequest", input);

export const declineRefundRequest = async (input: InputOf<"declineRefundRequest">) =>
  changeRefunds("declineRefundRequest", input);

export const requestRefund = async (input: InputOf<"requestRefund">) =>
  changeRefunds("requestRefund", input);
