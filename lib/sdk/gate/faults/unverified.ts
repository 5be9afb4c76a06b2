import { InvalidReason } from "../../protocol/error-envelope.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import type { Logger } from "../logger.ts";
import { isTemporary } from "../queue/retry.ts";
import type { SettleJobInput } from "../queue/settlement-queue.ts";
import { type Refusal, refuseForNow, refuseToken, repeatNotKept } from "../refusals.ts";
import type { GateService } from "../service.ts";

type Service = Pick<GateService, "settle" | "forgetPlan">;

const RETRY_AFTER_SECS = 5;

/** The refusal of a token that verify did not answer for. */
export async function refuseUnverified(
  error: unknown,
  { service, logger }: { service: Service; logger: Logger },
  { input, planId, mayOrder }: { input: SettleJobInput; planId: string; mayOrder: boolean },
): Promise<Refusal> {
  const code = PaymentsError.is(error) ? error.code : undefined;
  const reason = InvalidReason.safeParse(code);
  if (reason.success) return refuseToken(input.paymentRequired, reason.data);
  if (code === "idempotency_conflict") return refuseRepeat(error as PaymentsError, service, input);
  if (code === "invalid_amount") {
    // The plan's range has changed since it was read: price the next request again.
    service.forgetPlan(planId);
    return refuseForNow(1);
  }
  const failure = { message: "The token could not be verified.", planId };
  return failClosed(error, failure, logger, mayOrder);
}

/** The refusal of a request whose requirement could not be built. */
export const refuseUnbuilt = (error: unknown, logger: Logger, route: string): Refusal =>
  failClosed(error, { message: "The payment requirement could not be built.", route }, logger);

/**
 * The refusal of a request that the service knows. Where it is settled, and its client's own, it has another token for the
 * credits that a wallet bought by it: the response that had the first one may be lost. Settling again charges nothing.
 */
async function refuseRepeat(
  { details }: PaymentsError,
  service: Service,
  input: SettleJobInput,
): Promise<Refusal> {
  const refusal = repeatNotKept();
  const isSettled = input.requestDigest !== undefined && details?.[0]?.message === "settled";
  const settlement = isSettled ? await service.settle(input, false).catch(() => null) : null;
  if (!settlement?.success || !settlement.extensions?.credits) return refusal;
  const message =
    "The request with this id is paid, and its response is not kept here. Nothing was charged again. Its receipt has a token for the credits that are left.";
  return { ...refusal, settlement, body: { ...refusal.body, message } };
}

/** The refusal when the gate cannot do its part: 503 when a later request may pass, else 500. Never ungated. */
function failClosed(
  error: unknown,
  { message, ...fields }: { message: string; planId?: string; route?: string },
  logger: Logger,
  mayOrder = false,
): Refusal {
  const code = PaymentsError.is(error) ? error.code : undefined;
  const reason = error instanceof Error ? error.message : String(error);
  logger.error(message, { ...fields, code, reason });
  if (!PaymentsError.is(error) || !isTemporary(error)) return misconfigured;
  return refuseForNow(Math.max(1, Math.ceil(error.retryAfterSecs ?? RETRY_AFTER_SECS)), mayOrder);
}

/** 500 for a gate that cannot price or check this route; the log says why, the caller need not know. */
const misconfigured: Refusal = {
  kind: "unavailable",
  httpStatus: 500,
  body: {
    error: "Internal Server Error",
    code: "internal",
    reason: "gate failure",
    retryable: false,
    message: "This route cannot take payments now; this attempt was not charged.",
  },
};
