import "server-only";
import type { InputOf, OperationName, OutputOf } from "@turnpike/payments/protocol";

/** Calls an operation of the service: in this process for the signed-in user, or over HTTP with an API key. */
export type CallService = <K extends OperationName>(
  name: K,
  input: InputOf<K>,
) => Promise<OutputOf<K>>;

/** Who pays for paid checks. */
export type Payer = {
  account: string;
  /** Failed settlements can be simulated in the sandbox only. */
  isSandbox: boolean;
  call: CallService;
};

/** The plan (null for the quoted one) and the maximum credits the user agreed to. */
export type PaidConsent = { planId: string | null; maxCredits: bigint };
