import { disputes } from "./disputes.ts";
import { refunds } from "./refunds.ts";

/** How the operations are called that no gate and no payment needs: the client loads this module at the first call. */
export { agents } from "./agents.ts";
export { apiKeys } from "./api-keys.ts";
export { paymentMethods } from "./payment-methods.ts";

export const money = { ...refunds, ...disputes };
