import type { RequestRecord, Settlement } from "@turnpike/payments/protocol";
import type { Receipt } from "@/lib/playground/read-receipt.ts";
import type { Exchange } from "../exchange.ts";

type Settled = Extract<Settlement, { success: true }>;

/** The receipt of a call: the response's, or what the service has under the request's ID. */
export type CallReceipt =
  | Exclude<Receipt, { kind: "settled" }>
  | {
      kind: "settled";
      settlement: Pick<Settled, "payer" | "transaction" | "creditsRedeemed" | "agentRequestId"> & {
        extra: Pick<Settled["extra"], "chainStatus">;
      };
      isLookedUp?: true;
    };

/** A call with a token, and the payer's balance before and after. */
export type PaidCall = {
  exchange: Exchange;
  receipt: CallReceipt;
  before: bigint;
  after: bigint;
};

/** Everything recorded with chargeable tokens. Calls that were not made are absent. */
export type PaidRecording = {
  /** The account in the tokens' `from`. */
  payer: string;
  plan: { name: string; isTime: boolean; isCrypto: boolean; least: bigint; most: bigint };
  /** Credits in the offer, if stated. */
  offered: bigint | null;
  /** Why a check was skipped, by its id. */
  why: Readonly<Record<string, string>>;
  /** The ids of the requests, as far as the agent returned them. */
  requestIds: ReadonlySet<string>;
  first?: PaidCall;
  /** The service's record of the first call, once the chain confirmed it or time ran out. */
  record?: RequestRecord | null;
  /** A second call with the first token. */
  again?: PaidCall;
  /** A call with an unusable body. */
  broken?: PaidCall;
  /** The first and second request of a one-request token. */
  limited?: { allowed: PaidCall; beyond: PaidCall };
  parallel?: {
    calls: { exchange: Exchange; receipt: CallReceipt }[];
    before: bigint;
    after: bigint;
  };
  /** A call while settlement was down, how often it was attempted, and the service's record then. */
  unsettled?: PaidCall & { attempts: number; record: RequestRecord | null };
};
