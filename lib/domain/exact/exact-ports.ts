/** A transfer that a wallet authorized (EIP-3009). Addresses are checksummed, times are in epoch seconds. */
export type ExactPayment = {
  /** Follows from asset, payer and nonce: what the chain takes once is known here once. */
  id: string;
  payer: string;
  asset: string;
  payTo: string;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: string;
  signature: string;
};

/** Why an authorization cannot be captured now. */
export type ExactFault =
  | "authorization_signature"
  | "authorization_early"
  | "authorization_expired"
  | "authorization_used"
  | "insufficient_funds"
  | "amount_too_small"
  | "capture_failed";

/** The outcome of a capture. An unknown outcome is thrown. */
export type Captured =
  | { status: "paid"; reference: string }
  | { status: "refused"; code: ExactFault; message: string };

/** A transfer that an account authorizes: `secs` is how long it can be captured. */
type ToAuthorize = {
  account: string;
  asset: string;
  payTo: string;
  value: bigint;
  secs: number;
};

/** The chain as payments by `exact` to others need it. */
export interface ExactPayer {
  /**
   * Signs with the key of the account's owner, whose smart account is created where there is none; what the account has.
   * Throws `signature_required` where a wallet holds the key.
   */
  sign(
    transfer: ToAuthorize,
  ): Promise<{ payment: Omit<ExactPayment, "id">; balance: bigint; block: bigint }>;
  /** What became of an authorization; null while it can still be captured. */
  findCapture(payment: Omit<ToCapture, "builder">): Promise<Captured | null>;
}

export type CheckedPayment = {
  fault: ExactFault | null;
  balance: bigint;
  block: bigint;
  gas: number;
  /** Whether its capture runs code that the payer chose, which may do another thing in a block than in a simulation. */
  runsCode: boolean;
};

/** The chain as payments by `exact` need it. */
export interface ExactChain extends ExactPayer {
  network: string;
  /** Whether payments are taken: the deployment has the contract that captures them. */
  takesPayments: boolean;
  /** The token that prices without a plan are in. */
  asset: string;
  /** The least that a payment signed by a key may move, because the service pays its gas; more for smart accounts. */
  floor: bigint;
  /** Gas a day that the service pays for the transfers that one account settles; 0 is unlimited. */
  mostGas: number;
  /** What is wrong with an authorization at the newest block, what its payer has, and the gas its capture may use. */
  check(payment: ExactPayment): Promise<CheckedPayment>;
  /**
   * Moves the money. The chain takes an authorization once, so a repeat finds the first capture and never pays twice; one that
   * comes while the first is under way shares its outcome. Builders take turns. Where payments are not taken, it finds what
   * became of an earlier one.
   */
  capture(payment: ToCapture): Promise<Captured>;
}

/** A payment whose transfer, if there is one, is in `sinceBlock` or later. */
export type ToCapture = ExactPayment & { sinceBlock: bigint; builder: string };

/** An authorization that was accepted, and what it pays for. */
export type AcceptedPayment = ExactPayment & {
  builder: string;
  planId: string | null;
  planVersion: number | null;
  /** The request a transfer for another server was settled for; null with a plan, where the hold says it. */
  agentRequestId: string | null;
  sinceBlock: bigint;
};

/** An authorization as it is written, and what became of it: one that was captured stays so. */
export type WrittenPayment = AcceptedPayment & {
  state: "open" | "captured" | "refused";
  transaction: string | null;
};

/** Why a plan cannot be ordered once more: it is a trial, or the balance could not hold its credits. */
type Unsold = "trial-taken" | "full";

/** Authorizations that were accepted: each row decides who may use it, and what is captured. */
export interface Authorizations {
  find(id: string): Promise<WrittenPayment | null>;
  /**
   * Writes the authorization, with the account, the token and the balance its reservation needs; a repeat changes nothing. One
   * that its payer signed again for the same plan, until no earlier, is what will be captured, as long as no order has it.
   * `used` when it is written for something else or cannot be signed again, `underfunded` when its payer's other ones leave too little of `balance`, which was read after `since`;
   * `trial-taken` and `full` when the plan cannot be ordered once more; `gas-budget` when the builder's authorizations of the day
   * would cost more than `mostGas`; `failed` when it `runsCode`, and of the payer's orders of the day one moved nothing though the
   * chain took its capture.
   */
  open(
    payment: AcceptedPayment,
    parts: {
      balance: bigint;
      runsCode?: boolean;
      leaseSecs: number;
      since: Date;
      gas?: number;
      mostGas?: number;
    },
  ): Promise<"open" | "used" | "underfunded" | "gas-budget" | "failed" | Unsold>;
  /** What the authorizations that count towards a builder's gas may cost, those of the last day. */
  gasOfDay(builder: string): Promise<number>;
  close(id: string, state: "captured" | "refused", transaction: string | null): Promise<void>;
  /** Reserves the credits it bought for its request; false when they are no longer there. */
  fundHold(builder: string, agentRequestId: string, amount: bigint): Promise<boolean>;
  /** Releases a reservation that expired, and none that another replica has made in its place since. */
  releaseExpired(builder: string, agentRequestId: string): Promise<void>;
}

/** The delegation of a wallet without an account: it orders nothing, and its tokens use what the wallet bought. */
export const walletDelegation = (payer: string): string => `exact_${payer}`;
