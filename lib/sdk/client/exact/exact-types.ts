/** A wallet of your own, such as an account of viem. */
export type ExactSigner = {
  address: string;
  signTypedData(typedData: {
    domain: { name: string; version: string; chainId: number; verifyingContract: `0x${string}` };
    types: Record<string, { name: string; type: string }[]>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<string>;
  /** Tokens it pays in, at a dollar with six decimals, by network; USDC of the known networks by default. */
  assets?: Readonly<Record<string, string>>;
};

/** A payment by `exact` that was sent to a seller. */
export type ExactSent = {
  /** Names it, also for `payments.requests.getRequest`; absent when `signer` paid. */
  authorizationId?: string;
  seller: string;
  network: string;
  /** In the token's smallest unit: millionths of a dollar. */
  amount: string;
  /**
   * What the chain says: `paid`, or `expired` and never to be paid. `open`: the seller can capture it until `expiresAt`.
   * `unknown`: the chain was not read; the seller may have captured it.
   */
  status: "open" | "paid" | "expired" | "unknown";
  expiresAt: string;
  transaction?: string;
};

/** A signed payment, and how to learn what became of it. */
export type Authorized = {
  /** The `payload` of the payment. */
  payload: { signature: string; authorization: Record<string, string> };
  sent: ExactSent;
  /** When half of its time is over; absent for an account's, which the service keeps. */
  renewAtMs?: number;
  /** What the chain says now. Never throws. */
  confirm(sent: ExactSent): Promise<ExactSent>;
};
