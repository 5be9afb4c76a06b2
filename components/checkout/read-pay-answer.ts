import { type ActionAnswer, isUnknownError } from "../forms/action-answer.ts";
import { answerOf } from "../forms/answer-of.ts";
import type { Offer } from "./plan-price.ts";

/** The order once there is one, or the plan's terms when they have changed. */
export type Paid = { orderId: string } | { changed: Offer };
export type PayOutcome = Paid | { isLost: true };

/** What a payment came to. One whose answer was lost, or may have been made all the same, is looked up. */
export async function readPayAnswer(
  paying: Promise<ActionAnswer<Paid>>,
): Promise<ActionAnswer<PayOutcome>> {
  const answer = await answerOf(paying);
  if (answer && (answer.ok || !isUnknownError(answer))) return answer;
  return { ok: true, data: { isLost: true } };
}
