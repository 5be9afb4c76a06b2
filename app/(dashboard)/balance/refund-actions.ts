"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change, changeOf } from "@/app/_session/operations.ts";

const changeRefunds = changeOf("/balance/refunds");

export const getRefundable = async (orderId: string) => change("getRefundable", { orderId });

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
