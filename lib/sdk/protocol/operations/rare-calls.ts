import { agents } from "./agents.ts";
import { apiKeys } from "./api-keys.ts";
import { balance } from "./balance.ts";
import { budgets } from "./budgets.ts";
import { disputes } from "./disputes.ts";
import { paymentMethods } from "./payment-methods.ts";
import { payouts } from "./payouts.ts";
import { plans } from "./plans.ts";
import { refunds } from "./refunds.ts";
import { withdrawals } from "./withdrawals.ts";

/** How the operations are called that no gate and no payment needs: the client loads this module at the first call. */
export const rareCalls = {
  agents,
  apiKeys,
  budgets,
  paymentMethods,
  plans,
  money: { ...balance, ...refunds, ...disputes, ...withdrawals, ...payouts },
};
