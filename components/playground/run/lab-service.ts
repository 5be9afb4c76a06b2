import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import type { LabService } from "@/lib/playground/run-fault.ts";
import type { ArmedFault, SandboxOperations } from "@/lib/sandbox/operations.ts";
import { type Changed, unwrap } from "./session-service.ts";

/** What the failure lab changes: server actions of the page, as the person signed in. */
export type LabActions = {
  orderPlan(input: InputOf<"orderPlan">): Promise<Changed<OutputOf<"orderPlan">>>;
  mintAccessToken(
    input: InputOf<"getX402AccessToken">,
  ): Promise<Changed<OutputOf<"getX402AccessToken">>>;
  revokeToken(tokenId: string): Promise<Changed<unknown>>;
  saveTestCard(testCard: string): Promise<Changed<OutputOf<"addPaymentMethod">>>;
  removeCard(paymentMethodId: string): Promise<Changed<unknown>>;
  armFault(input: InputOf<"injectFault", SandboxOperations>): Promise<Changed<ArmedFault>>;
  clearFault(faultId: string): Promise<Changed<unknown>>;
};

/** A fault that nobody takes back, because the page was closed, ends by itself. */
const FAULT_SECS = 30;
const HTTP_VERB = "POST";

/** The lab's questions to the service, from the browser. */
export function createLabService(actions: LabActions): LabService {
  return {
    async order(planId) {
      unwrap(await actions.orderPlan({ planId, idempotencyKey: crypto.randomUUID() }));
    },
    async mint({ planId, agentId, url, durationSecs, calls, spendingLimitCents, paymentMethodId }) {
      const limits = {
        ...(durationSecs && { durationSecs }),
        ...(spendingLimitCents && { spendingLimitCents }),
        ...(paymentMethodId && { providerPaymentMethodId: paymentMethodId }),
      };
      return unwrap(
        await actions.mintAccessToken({
          accepted: { planId, extra: { httpVerb: HTTP_VERB, ...(agentId && { agentId }) } },
          resource: url,
          httpVerb: HTTP_VERB,
          ...(calls && { redemptionLimit: calls }),
          ...(Object.keys(limits).length > 0 && { delegationConfig: limits }),
        }),
      );
    },
    async revokeToken(tokenId) {
      unwrap(await actions.revokeToken(tokenId));
    },
    async saveCard(testCard) {
      const { paymentMethodId } = unwrap(await actions.saveTestCard(testCard));
      if (!paymentMethodId) throw new Error(`The test card ${testCard} was not saved.`);
      return paymentMethodId;
    },
    async removeCard(paymentMethodId) {
      unwrap(await actions.removeCard(paymentMethodId));
    },
    async arm(fault, planId, times) {
      const armed = await actions.armFault({ fault, planId, times, durationSecs: FAULT_SECS });
      return unwrap(armed).faultId;
    },
    async disarm(faultId) {
      unwrap(await actions.clearFault(faultId));
    },
  };
}
