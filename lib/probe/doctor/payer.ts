import "server-only";
import {
  type InputOf,
  type OutputOf,
  type PaymentOffer,
  PaymentsError,
  type ProtocolOperations,
} from "@turnpike/payments/protocol";
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

/** The credits that a payer has of a plan. */
export async function balanceOf({ account, call }: Payer, planId: string): Promise<bigint> {
  const { balance } = await call("getPlanBalance", { planId, holderAddress: account });
  return BigInt(balance);
}

/** For `catch` of a read: null where the service does not know the id. */
export function unlessUnknown(cause: unknown): null {
  if (PaymentsError.is(cause) && ["not_found", "invalid_input"].includes(cause.code)) return null;
  throw cause;
}

/** The maximum credits that the user agreed to, and of which plan. */
export type PaidConsent = { maxCredits: bigint } & (
  | { planId: string }
  /** The quoted plan, where it is sold at the URL: the endpoint itself says which one it is. */
  | { planId: null; whyElsewhere(offer: PaymentOffer, url: string): Promise<string | null> }
);
