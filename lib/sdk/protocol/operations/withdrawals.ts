import { Withdrawal, WithdrawalInput } from "../money-out.ts";
import { defineCalls, serveCalls } from "./operation.ts";

export const withdrawals = /* @__PURE__ */ defineCalls({
  /**
   * Sends stablecoin from your account to an address on your list, once per `idempotencyKey`. The service pays the gas.
   * Throws `payment_refused` when less is available, `invalid_input` for an address that is not on the list.
   *
   * @example await payments.withdrawals.createWithdrawal({ currency: "usdc", amount: 5_000_000n, to })
   */
  createWithdrawal: {
    method: "POST",
    path: "/withdrawals",
    timeoutMs: 60_000,
    repeatKey: "idempotencyKey",
    repeatKeyPrefix: "wd_",
    input: WithdrawalInput,
    output: Withdrawal,
  },
});

export const withdrawalOperations = /* @__PURE__ */ serveCalls(
  { name: "withdrawals", section: "Money", scope: "money" },
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
