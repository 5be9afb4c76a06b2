import { agents } from "./agents.ts";
import { apiKeys } from "./api-keys.ts";
import { disputes } from "./disputes.ts";
import { paymentMethods } from "./payment-methods.ts";
import { refunds } from "./refunds.ts";

/** How the operations are called that no gate and no payment needs: the client loads this module at the first call. */
export const rareCalls = { agents, apiKeys, paymentMethods, money: { ...refunds, ...disputes } };
