import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { call } from "./call.ts";
import type { Connection } from "./connection.ts";
import { randomId } from "./random-id.ts";
import { forgetPlan } from "./resolve-scheme.ts";

type PlanTerms = InputOf<"registerCreditsPlan">;
type Metadata = PlanTerms["metadataAttributes"];
type Price = PlanTerms["priceConfig"];
type Credits = PlanTerms["creditsConfig"];

/** What else may be said about a plan; a `nonce` makes registering it safe to repeat. */
export type RegisterPlanOptions = Pick<PlanTerms, "isTrialPlan" | "state" | "nonce">;

/** How to pay for an order; `idempotencyKey` names it, so that a repeat pays once. */
export type OrderPlanOptions = Omit<InputOf<"orderPlan">, "planId">;
export type OrderFiatPlanOptions = Omit<InputOf<"orderFiatPlan">, "planId">;

/** Plans: what is sold, to whom, and what is left of it (§4.1). */
export function createPlans(connection: Connection) {
  const terms = (metadata: Metadata, priceConfig: Price, creditsConfig: Credits) => ({
    metadataAttributes: metadata,
    priceConfig,
    creditsConfig,
    ...(metadata.isTrialPlan !== undefined && { isTrialPlan: metadata.isTrialPlan }),
  });

  return {
    /**
     * Registers a plan whose credits are counted down.
     *
     * @example await payments.plans.registerCreditsPlan({ name: "Starter" },
     *   getFiatPriceConfig(10_000_000n, receiver), getFixedCreditsConfig(100n))
     */
    registerCreditsPlan: (
      planMetadata: Metadata,
      priceConfig: Price,
      creditsConfig: Credits,
      options: RegisterPlanOptions = {},
    ): Promise<OutputOf<"registerCreditsPlan">> =>
      call(connection, "registerCreditsPlan", {
        ...terms(planMetadata, priceConfig, creditsConfig),
        ...options,
        accessLimit: "credits",
      }),

    /** Registers a plan that gives access for a time: `creditsConfig.durationSecs`, 0 for ever. */
    registerTimePlan: (
      planMetadata: Metadata,
      priceConfig: Price,
      creditsConfig: Credits,
      options: RegisterPlanOptions = {},
    ): Promise<OutputOf<"registerTimePlan">> =>
      call(connection, "registerTimePlan", {
        ...terms(planMetadata, priceConfig, creditsConfig),
        ...options,
        accessLimit: "time",
      }),

    /** Reads a plan. Throws `not_found`. */
    getPlan: (planId: string) => call(connection, "getPlan", { planId }),

    /** Lists your own plans, newest first. */
    listPlans: (page: InputOf<"listPlans"> = {}) => call(connection, "listPlans", page),

    /** Lists the plans everyone can find. */
    listPublicPlans: (page: InputOf<"listPublicPlans"> = {}) =>
      call(connection, "listPublicPlans", page),

    /** Changes a plan; a new price or new credits hold for later orders. */
    async updatePlan(planId: string, changes: Omit<InputOf<"updatePlan">, "planId">) {
      const plan = await call(connection, "updatePlan", { ...changes, planId });
      forgetPlan(connection, planId);
      return plan;
    },

    /** Lists the agents a plan pays for. */
    getPlanAgents: (planId: string, page: Omit<InputOf<"getPlanAgents">, "planId"> = {}) =>
      call(connection, "getPlanAgents", { ...page, planId }),

    /**
     * What an account has left on a plan (§2.13); `balance` is in credits. The default holder is the
     * account of the API key.
     */
    getPlanBalance: (planId: string, holderAddress: string = connection.accountAddress) =>
      call(connection, "getPlanBalance", { planId, holderAddress }),

    /** Lists the accounts that ordered your plan. */
    listSubscribers: (planId: string, page: Omit<InputOf<"listSubscribers">, "planId"> = {}) =>
      call(connection, "listSubscribers", { ...page, planId }),

    /**
     * Orders a plan: pays its price and gets its credits. Repeats of one `idempotencyKey` pay once;
     * without a key one is made, so that only this call's own repeats are covered.
     */
    orderPlan: (planId: string, options: OrderPlanOptions = {}): Promise<OutputOf<"orderPlan">> =>
      call(connection, "orderPlan", {
        ...options,
        planId,
        idempotencyKey: options.idempotencyKey ?? randomId("ord_"),
      }),

    /**
     * Buys a card plan. With `providerPaymentMethodId` or `delegationId` it is charged at once and `order` says
     * how it went; without, `result.checkoutLink` is a page where a person pays, and nothing is charged yet.
     * Throws `invalid_input` for a plan that is not paid by card, `payment_refused` with the bank's reason.
     *
     * @example const { result } = await payments.plans.orderFiatPlan(planId); open(result.checkoutLink)
     */
    orderFiatPlan: (
      planId: string,
      options: OrderFiatPlanOptions = {},
    ): Promise<OutputOf<"orderFiatPlan">> =>
      call(connection, "orderFiatPlan", {
        ...options,
        planId,
        idempotencyKey: options.idempotencyKey ?? randomId("ord_"),
      }),

    /** Reads how far an order of yours came. */
    getOrder: (orderId: string) => call(connection, "getOrder", { orderId }),
  };
}
