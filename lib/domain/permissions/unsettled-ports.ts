/** A held request with what is left of its permission: the service keeps this, never the token. */
export type HeldRequest = {
  builder: string;
  agentRequestId: string;
  account: string;
  planId: string;
  planOwner: string;
  agentId: string | null;
  jti: string;
  delegationId: string;
  amount: bigint;
  /** Of a lease: how many requests the amount still pays for. */
  requests: number | null;
  scheme: string;
  state: "held" | "posted" | "released" | "expired";
  /** Whether token and delegation are neither revoked nor expired, and until when they can be used. */
  isAlive: boolean;
  settleBefore: Date;
  redemptionsLeft: bigint;
  available: bigint;
  minAmount: bigint;
  isFixed: boolean;
  accessLimit: "credits" | "time";
  /** Whether the plan's credits cost something, so that they are on chain too. */
  isPaid: boolean;
  /** The payment of the order that the request made. */
  orderTx: string | null;
  redemptionType: number;
  /** Whether the builder is one of the plan's redeemers now. */
  callerIsRedeemer: boolean;
};

export type WriteOff = "written-off" | "settled" | "unknown";

/** Requests that were delivered and not settled. */
export interface Unsettled {
  findHeld(builder: string, agentRequestId: string): Promise<HeldRequest | null>;
  listHeld(builder: string, agentRequestIds: string[]): Promise<HeldRequest[]>;
  /** Writes the request off, so that nothing is charged for it later. `unknown`: the builder has no such request. */
  writeOff(builder: string, agentRequestId: string, note: string): Promise<WriteOff>;
}
