import { Stripe } from "stripe";
import { describe, expect, test } from "vitest";
import { outcomeOfError } from "./payment-outcome.ts";

const { errors } = Stripe;
const raw = (statusCode: number, more: object = {}) => ({
  message: "for pm_1Secret",
  statusCode,
  type: "api_error" as const,
  headers: {},
  requestId: "req_1",
  ...more,
});
const refused = (code: string) => ({ status: "refused", code });

describe("what an error of a charge means", () => {
  test.each([
    ["a key that is not ours", new errors.StripeAuthenticationError(raw(401))],
    ["a key without the right", new errors.StripePermissionError(raw(403))],
    [
      "connection refused",
      new errors.StripeConnectionError(raw(0, { detail: { code: "ECONNREFUSED" } })),
    ],
  ])("%s: a first attempt charged nothing, a repeat is unknown", (_, cause) => {
    expect(outcomeOfError(cause, false)).toMatchObject(refused("processor_unavailable"));
    expect(() => outcomeOfError(cause, true)).toThrow("The card processor's answer");
  });

  test.each([
    [
      "a closed connection",
      new errors.StripeConnectionError(raw(0, { detail: { code: "ECONNRESET" } })),
    ],
    ["a time-out", new errors.StripeConnectionError(raw(0, { detail: { code: "ETIMEDOUT" } }))],
    ["500", new errors.StripeAPIError(raw(500))],
    ["a busy key", new errors.StripeIdempotencyError(raw(409, { code: "idempotency_key_in_use" }))],
    ["a key of another request", new errors.StripeIdempotencyError(raw(400))],
    ["a lock", new errors.StripeRateLimitError(raw(429, { code: "lock_timeout" }))],
    ["a bug", new TypeError("x is not a function")],
  ])("%s is unknown, and says so without naming the card", (_, cause) => {
    for (const isRepeat of [false, true]) {
      const work = () => outcomeOfError(cause, isRepeat);
      expect(work).toThrow(/^The card processor's answer/);
      expect(work).not.toThrow("pm_1Secret");
    }
  });

  test("the bank's own answer and a request that is not taken are refusals, also at a repeat", () => {
    const declined = new errors.StripeCardError(
      raw(402, { code: "card_declined", decline_code: "lost_card" }),
    );
    const wrong = new errors.StripeInvalidRequestError(raw(400, { code: "amount_too_small" }));
    const gone = new errors.StripeInvalidRequestError(raw(400, { param: "payment_method" }));
    for (const isRepeat of [false, true]) {
      expect(outcomeOfError(declined, isRepeat)).toMatchObject(refused("lost_card"));
      expect(outcomeOfError(wrong, isRepeat)).toMatchObject(refused("amount_too_small"));
      expect(outcomeOfError(gone, isRepeat)).toMatchObject(refused("card_not_found"));
    }
  });
});
