import {
  AddPaymentMethod,
  CardRef,
  CardRemoval,
  CardSetup,
  CardSetupRef,
  RemovePaymentMethod,
} from "../card.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Done } from "./shared.ts";

/** Saved cards. Card numbers never reach the service. */
export const paymentMethods = /* @__PURE__ */ defineCalls({
  /**
   * Starts saving a card. A page confirms the setup with `clientSecret` and `publishableKey`, then calls
   * `finishPaymentMethod`. In the sandbox `testCard` saves one of the processor's test cards immediately.
   *
   * @example await payments.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" })
   */
  addPaymentMethod: {
    route: "POST /payment-methods",
    input: AddPaymentMethod,
    output: CardSetup,
  },
  /** Gets the outcome of saving a card; `paymentMethodId` is set once it is saved. Throws `not_found`. */
  finishPaymentMethod: {
    route: "POST /payment-method-setups/:setupIntentId",
    repeatable: true,
    args: (setupIntentId: string) => ({ setupIntentId }),
    input: CardSetupRef,
    output: CardSetup,
  },
  /** Makes a saved card the default. Throws `not_found`. */
  setDefaultPaymentMethod: {
    route: "PUT /payment-methods/:paymentMethodId/default",
    args: (paymentMethodId: string) => ({ paymentMethodId }),
    input: CardRef,
    output: Done,
  },
  /**
   * Removes a card and revokes the delegations that charge it, with their tokens, immediately; the response names
   * them. With `dryRun` nothing is revoked, and the response names what would be. Throws `not_found`.
   */
  removePaymentMethod: {
    route: "DELETE /payment-methods/:paymentMethodId",
    repeatable: false,
    args: (paymentMethodId: string, options: { dryRun?: boolean } = {}) => ({
      ...options,
      paymentMethodId,
    }),
    input: RemovePaymentMethod,
    output: CardRemoval,
  },
});

export const paymentMethodOperations = /* @__PURE__ */ serveCalls(
  { name: "paymentMethods", section: "Delegations and cards", scope: "cards" },
  paymentMethods,
  {
    addPaymentMethod: {
      summary: "Start saving a card; a page confirms it with the client secret",
      sample: () => ({ testCard: "pm_card_visa" }),
    },
    finishPaymentMethod: {
      summary: "Get the outcome of saving a card; the first card becomes the default",
      formerPath: "/payment-methods/setups/:setupIntentId",
      sample: ({ builder }) => ({ setupIntentId: `seti_${builder.address}` }),
    },
    setDefaultPaymentMethod: {
      summary: "Make a saved card the default",
      sample: ({ builder }) => ({ paymentMethodId: `pm_${builder.address}` }),
    },
    removePaymentMethod: {
      summary: "Remove a card and revoke what charges it; a dry run only lists that",
      sample: ({ builder }) => ({ paymentMethodId: `pm_${builder.address}`, dryRun: true }),
    },
  },
);
