import type { Withdrawal } from "@turnpike/payments/protocol";
import { type ActionAnswer, isUnknownError } from "../forms/action-answer.ts";

/** A withdrawal that is sent, perhaps several times, under one idempotency key. */
export type WithdrawalAttempt = {
  key: string;
  /** Whether it is unknown if an earlier request began it. Until it is known, only a repeat is safe. */
  isUnknown: boolean;
};

/** Refusals that the service gives after it has looked the key up. Others, such as a rate limit, come before. */
const AFTER_LOOKUP: readonly string[] = ["payment_refused", "signature_required", "invalid_input"];

/**
 * The attempt to repeat after an answer; null is a lost answer. A refusal ends it, because its key would repeat the refusal.
 */
export function attemptAfter(
  attempt: WithdrawalAttempt,
  answer: ActionAnswer<Withdrawal> | null,
): WithdrawalAttempt | undefined {
  if (answer?.ok) return undefined;
  if (!answer || isUnknownError(answer)) return { ...attempt, isUnknown: true };
  if (answer.code === "step_up_required") return attempt;
  return attempt.isUnknown && !AFTER_LOOKUP.includes(answer.code) ? attempt : undefined;
}
