import type { OutputOf } from "@turnpike/payments/protocol";
import type { LabService } from "@/lib/playground/run-fault.ts";
import type { ActionAnswer, OperationAction } from "../../forms/action-answer.ts";
import { unwrap } from "../../forms/unwrap-answer.ts";
import type { RunActions } from "./session-service.ts";

/** The server actions the failure lab calls, on behalf of the test customer. */
export type LabActions = Pick<RunActions, "mintForRun" | "endRun"> & {
  orderForLab: OperationAction<"orderPlan">;
  saveTestCard(testCard: string): Promise<ActionAnswer<OutputOf<"addPaymentMethod">>>;
  removeTestCard(paymentMethodId: string): Promise<ActionAnswer<unknown>>;
  armFault: OperationAction<"injectFault">;
  clearFault: OperationAction<"clearFaults">;
  readTestMoney(wanted: { isToppedUp: boolean }): Promise<ActionAnswer<string>>;
};

/** A fault left behind by a closed page expires on its own. */
const FAULT_SECS = 30;

export function createLabService(actions: LabActions): LabService {
  return {
    async order(planId) {
      const answer = await actions.orderForLab({ planId, idempotencyKey: crypto.randomUUID() });
      // A trial is ordered once.
      if (!answer.ok && answer.code === "already_ordered") return;
      unwrap(answer);
    },
    async mint({ planId, agentId, request, durationSecs, calls, ...wanted }) {
      const { spendingLimitCents, paymentMethodId } = wanted;
      const { url: resource, method: httpVerb } = request;
      const limits = {
        ...(durationSecs && { durationSecs }),
        ...(spendingLimitCents && { spendingLimitCents }),
        ...(paymentMethodId && { providerPaymentMethodId: paymentMethodId }),
      };
      return unwrap(
        await actions.mintForRun("test", {
          accepted: { planId, extra: { httpVerb, ...(agentId && { agentId }) } },
          resource,
          httpVerb,
          ...(calls && { redemptionLimit: calls }),
          ...(Object.keys(limits).length > 0 && { delegationConfig: limits }),
        }),
      );
    },
    async revoke(permission) {
      unwrap(await actions.endRun("test", permission));
    },
    async saveCard(testCard) {
      const { paymentMethodId } = unwrap(await actions.saveTestCard(testCard));
      if (!paymentMethodId) throw new Error(`The test card ${testCard} was not saved.`);
      return paymentMethodId;
    },
    async removeCard(paymentMethodId) {
      unwrap(await actions.removeTestCard(paymentMethodId));
    },
    async arm(fault, planId, times) {
      const armed = await actions.armFault({ fault, planId, times, durationSecs: FAULT_SECS });
      return unwrap(armed).faultId;
    },
    async disarm(faultId) {
      unwrap(await actions.clearFault({ faultId }));
    },
    async money(wanted) {
      return BigInt(unwrap(await actions.readTestMoney(wanted)));
    },
  };
}
