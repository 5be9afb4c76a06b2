import { apiKeys } from "./api-keys.ts";
import { balance } from "./balance.ts";
import { payouts } from "./payouts.ts";
import { withdrawals } from "./withdrawals.ts";

/** How the operations are called that no gate and no payment needs: the client loads this module at the first call. */
export const rareCalls = { apiKeys, money: { ...balance, ...withdrawals, ...payouts } };
