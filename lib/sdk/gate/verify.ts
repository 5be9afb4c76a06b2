import type { Payments } from "../client/payments.ts";
import { randomId } from "../client/random-id.ts";
import { forgetPlan } from "../client/resolve-scheme.ts";
import { type AccessToken, decodeAccessToken } from "../protocol/access-token.ts";
import { InvalidReason } from "../protocol/error-envelope.ts";
import { PaymentsError } from "../protocol/errors.ts";
import type { X402PaymentRequired } from "../protocol/payment-required.ts";
import type { Verification } from "../protocol/permission.ts";
import { planIdOf } from "../protocol/plans/plan-id-of.ts";
import { misconfigured, type Refusal, refuseToken, unavailable } from "./answers.ts";
import type { Logger } from "./logger.ts";
import type { Pass } from "./pass.ts";
import { PREPARE_CALL } from "./prepare.ts";
import type { SettleJobInput } from "./queue/settlement-queue.ts";

/** The payment behind a request, as the work sees it (§3 step 5). */
export type Payment = {
  /** The token's document; the token itself stays with the gate. */
  token: AccessToken;
  /** Names the paid request at the service. */
  agentRequestId: string;
  payer: string;
  planId: string;
  agentId: string | undefined;
  /** What settlement will take. */
  credits: bigint;
  verification: Verification & { isValid: true };
};

export type Verified = {
  payment: Payment;
  settleInput: SettleJobInput & { agentRequestId: string };
};

const RETRY_AFTER_SECS = 5;

/** Checks a request's token and puts its credits on hold, or tells why it may not pass (§3 step 4). */
export async function verifyToken(
  { payments, logger }: { payments: Payments; logger: Logger },
  paymentRequired: X402PaymentRequired,
  x402AccessToken: string,
  pass: Pass,
): Promise<Verified | Refusal> {
  const token = decodeAccessToken(x402AccessToken);
  if (!token) return refuseToken(paymentRequired, "invalid_token");
  const { planId } = token.payload.authorization;
  const offer = paymentRequired.accepts.find((each) => planIdOf(each) === planId);
  if (!offer) return refuseToken(paymentRequired, "invalid_plan");

  const agentRequestId = randomId("req_");
  const { scheme, network } = offer;
  pass.know({ planId, scheme, network, agentRequestId });
  const maxAmount = offer.amount as string;
  const settleInput = { paymentRequired, x402AccessToken, maxAmount, agentRequestId };
  try {
    const verification = await payments.facilitator.verifyPermissions(
      { ...settleInput, reserve: true },
      PREPARE_CALL,
    );
    if (!verification.isValid) return refuseToken(paymentRequired, verification.invalidReason);
    const { payer, credits } = verification;
    const agentId = verification.agentId ?? token.payload.authorization.agentId;
    pass.know({ payer, agentId });
    const payment = { token, agentRequestId, payer, planId, agentId, credits: BigInt(credits) };
    return { payment: { ...payment, verification }, settleInput };
  } catch (error) {
    if (PaymentsError.is(error)) {
      const reason = InvalidReason.safeParse(error.code);
      if (reason.success) return refuseToken(paymentRequired, reason.data);
      // The plan's range has changed since it was read: price the next request anew.
      if (error.code === "invalid_amount") {
        forgetPlan(payments.connection, planId);
        return unavailable(1);
      }
    }
    return failClosed(error, "The token could not be verified.", { planId, logger });
  }
}

/** The answer when the gate cannot do its part: 503 when asking later may help, else 500. Never ungated. */
export function failClosed(
  error: unknown,
  message: string,
  { logger, ...fields }: { logger: Logger; planId?: string; route?: string },
): Refusal {
  const code = PaymentsError.is(error) ? error.code : undefined;
  const reason = error instanceof Error ? error.message : String(error);
  logger.error(message, { ...fields, code, reason });
  if (!PaymentsError.is(error) || !isPassing(error)) return misconfigured();
  return unavailable(Math.max(1, Math.ceil(error.retryAfterSecs ?? RETRY_AFTER_SECS)));
}

const isPassing = ({ code, httpStatus }: PaymentsError): boolean =>
  httpStatus >= 500 ||
  httpStatus === 429 ||
  ["network_error", "timeout", "invalid_answer"].includes(code);
