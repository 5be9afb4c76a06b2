import { PaymentsError } from "@turnpike/payments/protocol";
import type { Caller } from "../context.ts";

/** How long a proof of who someone is counts for changes that ask for a fresh one. */
const STEP_UP_SECS = 300;

/** Throws `step_up_required` for someone whose proof is older. Keys are not asked: their rights decide. */
export function requireFreshProof(caller: Caller): void {
  if (caller.keyId !== null) return;
  const { provenMsAgo = Number.NaN } = caller;
  if (provenMsAgo >= 0 && provenMsAgo < STEP_UP_SECS * 1000) return;
  throw new PaymentsError(
    "step_up_required",
    "You signed in too long ago for this change, so confirm that it is you.",
  );
}
