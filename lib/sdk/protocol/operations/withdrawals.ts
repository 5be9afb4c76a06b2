import * as z from "zod/mini";
import { Address, IdempotencyKey, Uint256 } from "../primitives.ts";
import { Currency } from "./balance.ts";
import { defineCalls, serveCalls } from "./operation.ts";

const WithdrawalInput = z.object({
  currency: Currency,
  /** In the stablecoin's smallest unit. */
  amount: Uint256,
  to: Address,
  idempotencyKey: z.optional(IdempotencyKey),
});

/** A withdrawal: `open` until its outcome is known. */
export const Withdrawal = z.object({
  withdrawalId: z.string(),
  status: z.enum(["open", "paid", "refused"]),
  /** Once it is sent. */
  txHash: z.optional(z.string()),
});
export type Withdrawal = z.output<typeof Withdrawal>;

export const withdrawals = /* @__PURE__ */ defineCalls({
  /**
   * Sends stablecoin from your account to an address on your list, once per `idempotencyKey`. The service pays the gas.
   * Throws `payment_refused` when less is available, `invalid_input` for an address that is not on the list.
   *
   * @example await payments.money.createWithdrawal({ currency: "usdc", amount: 5_000_000n, to })
   */
  createWithdrawal: {
    route: "POST /withdrawals",
    timeoutMs: 60_000,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "wd_",
    input: WithdrawalInput,
    output: Withdrawal,
  },
});

export const withdrawalOperations = /* @__PURE__ */ serveCalls(
  { name: "money", section: "Money", scope: "money" },
  withdrawals,
  {
    createWithdrawal: {
      summary: "Withdraw stablecoin to an address on your list",
      stepUp: true,
      sample: ({ subscriber, freshId }) => ({
        currency: "usdc",
        amount: "1",
        to: subscriber.address,
        idempotencyKey: freshId(),
      }),
    },
  },
);
