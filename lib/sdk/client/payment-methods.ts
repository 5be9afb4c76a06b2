import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { call } from "./call.ts";
import type { Connection } from "./connection.ts";

/** Saved cards: adding, choosing, removing. Card numbers never come here; `delegation.listPaymentMethods` lists. */
export function createPaymentMethods(connection: Connection) {
  return {
    /**
     * Begins saving a card. A page confirms the setup with `clientSecret` and `publishableKey`, then calls
     * `finishPaymentMethod`. In the sandbox `testCard` saves one of the processor's test cards at once.
     *
     * @example await payments.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" })
     */
    addPaymentMethod: (
      card: InputOf<"addPaymentMethod"> = {},
    ): Promise<OutputOf<"addPaymentMethod">> => call(connection, "addPaymentMethod", card),
    /** Reads how saving a card went; `paymentMethodId` is there once it is saved. Throws `not_found`. */
    finishPaymentMethod: (setupIntentId: string) =>
      call(connection, "finishPaymentMethod", { setupIntentId }),
    /** Makes a saved card the one that is charged when none is named. Throws `not_found`. */
    setDefaultPaymentMethod: (paymentMethodId: string) =>
      call(connection, "setDefaultPaymentMethod", { paymentMethodId }),
    /**
     * Forgets a card, and ends the delegations that charge it with their tokens, at once; the answer names
     * them. With `dryRun` nothing ends, and the answer names what would. Throws `not_found`.
     */
    removePaymentMethod: (
      paymentMethodId: string,
      options: { dryRun?: boolean } = {},
    ): Promise<OutputOf<"removePaymentMethod">> =>
      call(connection, "removePaymentMethod", { ...options, paymentMethodId }),
  };
}
