import { Stripe } from "stripe";
import { describe, expect, test } from "vitest";
import type { PayoutRecord } from "@/lib/domain/money/payout-ports.ts";
import { outcomeOfError, readOutcome } from "./payment-outcome.ts";
import { createPayoutProcessor } from "./payouts.ts";

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
    [
      "a connection refused to the SDK's own repeat of a request",
      new errors.StripeConnectionError(
        raw(0, {
          message: "An error occurred with our connection to Stripe. Request was retried 1 times.",
          detail: { code: "ECONNREFUSED" },
        }),
      ),
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

describe("a payment that was disputed", () => {
  const charge = { disputed: true, refunded: false, amount_refunded: 0 };
  const intent = { id: "pi_1", status: "succeeded", currency: "usd", latest_charge: charge };
  const read = (status: string, dueBy: number | null = null, moved: number[] = []) => {
    const dispute = {
      ...{ id: "dp_1", amount: 500, reason: "fraudulent", status },
      balance_transactions: moved.map((amount) => ({ amount })),
      evidence_details: { due_by: dueBy },
    };
    const disputes = { list: async () => ({ data: [dispute] }) };
    return readOutcome({ disputes } as never, intent as never);
  };

  test.each([
    ["needs_response", "returned"],
    ["under_review", "returned"],
    ["lost", "returned"],
    ["appeal_needs_response", "returned"],
    ["appeal_under_review", "returned"],
    ["a state of a later release", "returned"],
    ["won", "paid"],
    ["warning_needs_response", "paid"],
    ["warning_closed", "paid"],
  ])("is, while the dispute is in %s, %s", async (status, outcome) => {
    expect(await read(status)).toMatchObject({ status: outcome });
  });

  test.each([
    { moved: [], outcome: { status: "paid", disputes: [] } },
    { moved: [-500], outcome: { status: "returned", disputes: [{ status: "lost" }] } },
    { moved: [-500, 500], outcome: { status: "paid", disputes: [{ status: "won" }] } },
  ])("that was prevented is decided by the money that moved: $moved", async (given) => {
    expect(await read("prevented", 0, given.moved)).toMatchObject(given.outcome);
  });

  test("has a deadline only where the bank allows a response", async () => {
    const deadlineOf = async (dueBy: number | null) => {
      const outcome = await read("needs_response", dueBy);
      return "disputes" in outcome && outcome.disputes?.[0]?.respondBy;
    };
    expect(await deadlineOf(1_900_000_000)).toEqual(new Date("2030-03-17T17:46:40.000Z"));
    expect(await deadlineOf(0)).toBeNull();
    expect(await deadlineOf(null)).toBeNull();
  });
});

test("a payout to an account that was closed is refused, and another missing permission is unknown", async () => {
  const refusing = (code: string) =>
    createPayoutProcessor({
      environment: "sandbox",
      stripe: {
        payouts: {
          list: async () => ({ data: [] }),
          create: () => Promise.reject(new errors.StripePermissionError(raw(403, { code }))),
        },
      } as never,
    });
  const payout = {
    ...{ payoutId: "pay_1", account: "0x1", processorAccount: "acct_1", currency: "usd" },
    ...{ amount: 5_000_000n, state: "open", createdAt: new Date(), payoutReference: null },
  } as PayoutRecord;
  expect(await refusing("account_invalid").payOut(payout)).toMatchObject({
    failure: { code: "account_invalid", message: expect.stringContaining("Set up payouts again") },
  });
  await expect(refusing("permission").payOut(payout)).rejects.toThrow("pay_1");
});
