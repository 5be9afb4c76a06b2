import type { RequestRecord } from "@turnpike/payments/protocol";
import type { Receipt } from "@/lib/playground/read-receipt.ts";
import type { Exchange } from "../exchange.ts";

/** A call with a token, and what the payer had before and after it. */
export type PaidCall = {
  exchange: Exchange;
  receipt: Receipt;
  before: bigint;
  after: bigint;
};

/** Everything that was recorded with tokens that can be charged. What was not made is absent. */
export type PaidRecording = {
  /** The account in the tokens' `from`. */
  payer: string;
  plan: { name: string; isTime: boolean; isCrypto: boolean; least: bigint; most: bigint };
  /** Credits the offer asks for, when it says so. */
  offered: bigint | null;
  /** Why the check of this id was not made. */
  why: Readonly<Record<string, string>>;
  /** The ids of all requests that were made, as far as they were told. */
  requestIds: ReadonlySet<string>;
  first?: PaidCall;
  /** The service's own record of the first call, when its chain had time to answer. */
  record?: RequestRecord | null;
  /** The first call's token once more. */
  again?: PaidCall;
  /** With a body no agent can work on. */
  broken?: PaidCall;
  /** A token for one request: the first and the second. */
  limited?: { allowed: PaidCall; beyond: PaidCall };
  /** All at once. */
  parallel?: { calls: { exchange: Exchange; receipt: Receipt }[]; before: bigint; after: bigint };
  /** While the service refused to settle. `struck` is how often it did; `record` what it knew then. */
  unsettled?: PaidCall & { struck: number; record: RequestRecord | null };
};
