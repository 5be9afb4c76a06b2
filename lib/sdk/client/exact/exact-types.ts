import type { ExactSent } from "../../protocol/exact/exact-sent.ts";

/** A wallet of your own, such as an account of viem. */
export type ExactSigner = {
  address: string;
  signTypedData(typedData: {
    domain: { name: string; version: string; chainId: number; verifyingContract: `0x${string}` };
    types: Record<string, { name: string; type: string }[]>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<string>;
  /** Tokens it pays with, worth one dollar and with six decimals, by network. Default: USDC on the known networks. */
  assets?: Readonly<Record<string, string>>;
};

/** A signed payment, and how to learn what became of it. */
export type Authorized = {
  /** The `payload` of the payment. */
  payload: { signature: string; authorization: Record<string, string> };
  sent: ExactSent;
  /** When it is to be signed again: a wallet's after half of its time. */
  renewAtMs: number;
  /** What the chain says now; `unknown` where that is not told in time, or the caller gave up. Never throws. */
  confirm(): Promise<ExactSent>;
};
