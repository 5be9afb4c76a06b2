import { PageQuery, pageOf } from "../listing.ts";
import { Payout, PayoutAccount, PayoutAccountInput, PayoutInput } from "../money-out.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

const PROCESSOR_TIMEOUT_MS = 60_000;

export const payouts = /* @__PURE__ */ defineCalls({
  /** Sets up payouts of your card sales: a link to the processor's page, and how far onboarding is. */
  createPayoutAccount: {
    method: "POST",
    path: "/payout-accounts",
    timeoutMs: PROCESSOR_TIMEOUT_MS,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "pa_",
    input: PayoutAccountInput,
    output: PayoutAccount,
  },
  /**
   * Pays out all that is available in a currency, once per `idempotencyKey`. Throws `conflict` while payouts are not set
   * up or nothing is available.
   */
  createPayout: {
    method: "POST",
    path: "/payouts",
    timeoutMs: PROCESSOR_TIMEOUT_MS,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "po_",
    input: PayoutInput,
    output: Payout,
  },
  /** Lists your payouts, newest first. */
  listPayouts: { method: "GET", path: "/payouts", input: PageQuery, output: pageOf(Payout) },
});

export const payoutOperations = /* @__PURE__ */ serveCalls(
  { name: "payouts", section: "Money", scope: "money" },
  payouts,
  {
    createPayoutAccount: {
      summary: "Set up payouts of your card sales; answers a link to the processor's page",
      stepUp: true,
      sample: ({ freshId }) => ({ idempotencyKey: freshId() }),
    },
    createPayout: {
      summary: "Pay out all that is available in a currency",
      sample: ({ freshId }) => ({ currency: "usd", idempotencyKey: freshId() }),
    },
    listPayouts: { summary: "List your payouts, newest first", sample: () => samplePage },
  },
);
