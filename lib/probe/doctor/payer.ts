import "server-only";
import type { InputOf, OutputOf, ProtocolOperations } from "@turnpike/payments/protocol";
import type { SandboxOperations } from "@/lib/sandbox/operations.ts";

type Callable = ProtocolOperations & SandboxOperations;

/** Calls an operation of the service: in this process as who signed in, or over HTTP with an API key. */
export type CallService = <K extends keyof Callable>(
  name: K,
  input: InputOf<K, Callable>,
) => Promise<OutputOf<K, Callable>>;

/** Who pays for paid checks. */
export type Payer = {
  account: string;
  /** Only the sandbox can be made to fail. */
  isSandbox: boolean;
  call: CallService;
};

/** What the person agreed to: this plan (null: the one quoted), and never more credits than this. */
export type PaidConsent = { planId: string | null; maxCredits: bigint };
