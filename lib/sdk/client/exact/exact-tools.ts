import { PaymentsError } from "../../protocol/errors.ts";
import { withOtherOffers } from "../../protocol/payment-required.ts";
import { CHAIN_NETWORKS } from "../../protocol/schemes.ts";
import { decodeHeader, encodeHeader } from "../../protocol/x402-headers.ts";
import { callOperation } from "../call.ts";
import type { Connection } from "../connection.ts";
import { type PayingFetchOptions, paidResponse } from "../paid-response.ts";
import { readPlan } from "../resolve-scheme.ts";
import { notAllowed, priceText } from "../spending/purchase.ts";

/**
 * What paying by `exact` shares with the rest of the client. It is handed over, not imported: a bundler would cut the entry
 * into more chunks, and each compresses worse.
 */
export const exactTools = {
  PaymentsError,
  CHAIN_NETWORKS,
  decodeHeader,
  encodeHeader,
  callOperation,
  paidResponse,
  readPlan,
  notAllowed,
  priceText,
  withOtherOffers,
};
export type ExactTools = typeof exactTools;

/** A call that was answered by a 402 without an offer of a plan. */
export type ExactCall = {
  connection: Connection;
  /** With its `Idempotency-Key`. */
  original: Request;
  challenge: Response;
  /** Of the challenge. */
  body: Record<string, unknown> | null;
  reach: (request: Request) => Promise<Response>;
  options: PayingFetchOptions;
  tools: ExactTools;
};
