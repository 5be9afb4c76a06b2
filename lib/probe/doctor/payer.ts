import "server-only";
import type { InputOf, OutputOf, ProtocolOperations } from "@turnpike/payments/protocol";
import type { SandboxOperations } from "@/lib/sandbox/operations.ts";

type Callable = ProtocolOperations & SandboxOperations;

/** Calls an operation of the service: in this process as who signed in, or over HTTP with an API key. */
export type CallService = <K extends keyof Callable>(
  name: K,
  input: InputOf<K, Callable>,
) => Promise<OutputOf<K, Callable>>;

export type Payer = {
  account: string;
  /** Failed settlements can be simulated in the sandbox only. */
  isSandbox: boolean;
  call: CallService;
  /** Orders a plan with test money; left out for those who pay themselves, and who order before. */
  order?: (planId: string) => Promise<unknown>;
};

/** The plan (null for the quoted one) and the maximum credits the user agreed to. */
export type PaidConsent = { planId: string | null; maxCredits: bigint };
