import "server-only";
import { readReceipt } from "@/lib/playground/read-receipt.ts";
import { isSuccess } from "../checks/paid-check.ts";
import type { CallReceipt } from "../checks/paid-recording.ts";
import { type Exchange, headerOf, plainExchange } from "../exchange.ts";
import type { Payer } from "./payer.ts";
import { until } from "./until.ts";

export const REQUEST_ID = "payment-request-id";

/** The receipt in a response, or of its request's ID: one that flows has none in its headers. */
export async function findReceipt(
  exchange: Exchange,
  payer: Payer,
  settledWithinMs: number,
): Promise<CallReceipt> {
  const receipt = readReceipt(plainExchange(exchange));
  const agentRequestId = headerOf(exchange, REQUEST_ID);
  if (receipt.kind !== "none" || !agentRequestId || !isSuccess(exchange)) return receipt;
  const record = await until(
    settledWithinMs,
    () => payer.call("getSettlement", { agentRequestId }).catch(() => null),
    (found) => found?.moneyStatus === "settled",
  );
  if (record?.moneyStatus !== "settled") return receipt;
  const { payer: from = "", transaction, credits: creditsRedeemed, chainStatus } = record;
  const extra = { chainStatus };
  const settlement = { payer: from, transaction, creditsRedeemed, agentRequestId, extra };
  return { kind: "settled", settlement, isLookedUp: true };
}
