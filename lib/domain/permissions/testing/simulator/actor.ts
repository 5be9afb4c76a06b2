import type { X402PaymentRequired } from "@turnpike/payments/protocol";
import type { Context } from "@/lib/domain/context.ts";
import type { LeasingModel } from "./leasing-model.ts";
import type { ModelToken } from "./model-records.ts";

/** An account, and its API key as the database has it. */
export type Party = { address: string; keyHash: string; context: Context };

export type Plan = {
  builder: Party;
  planId: string;
  agentId: string;
  requirement: X402PaymentRequired;
};

/** A subscriber of one plan: who they are, what was sent for them, and what should have become of it. */
export type Actor = {
  index: number;
  party: Party;
  plan: Plan;
  model: LeasingModel;
  /** Tokens and their ids, by the model's index. */
  tokens: Token[];
  ids: string[];
  keys: string[];
  /** The leases that were answered, by their names in the model. */
  leases: { name: string; leaseId: string }[];
  lent: number;
  /** What was sent, and the token that each request was sent with last. */
  sent: Sent[];
  lastToken: Map<string, Token>;
  /** Requests since the model was last compared with the ledger. */
  touched: Set<string>;
};

/** An access token, and what the model knows of it. */
export type Token = { accessToken: string; jti: string; delegationId: string; model: ModelToken };

/** What a request was sent with. */
export type Sent = { id: string; token: Token; max: bigint | undefined };
