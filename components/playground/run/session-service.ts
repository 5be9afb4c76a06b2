import type {
  InputOf,
  OutputOf,
  Verification,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { type ErrorDetail, PaymentsError, readErrorCode } from "@turnpike/payments/protocol";
import type { PlaygroundService } from "@/lib/playground/ports.ts";
import { readOperation } from "../../data/read-operation.ts";

/** What a server action answers. */
export type Changed<T> =
  | { ok: true; data: T }
  | {
      ok: false;
      code: string;
      message: string;
      hint: string;
      details: ErrorDetail[];
      requestId: string;
    };

/** What a run changes or asks that is no plain read: server actions of the page. */
export type PlaygroundActions = {
  mintAccessToken(
    input: InputOf<"getX402AccessToken">,
  ): Promise<Changed<OutputOf<"getX402AccessToken">>>;
  dryVerify(input: {
    paymentRequired: X402PaymentRequired;
    x402AccessToken: string;
    maxAmount?: string;
  }): Promise<Changed<Verification>>;
};

/** A run's questions to the service, as the person signed in, from the browser. */
export function createSessionService(
  account: string | null,
  actions: PlaygroundActions,
): PlaygroundService {
  return {
    account,
    readPlan: (planId) =>
      readOperation("getPlan", { planId }).catch((cause) => {
        if (PaymentsError.is(cause) && cause.code === "not_found") return null;
        throw cause;
      }),
    async readBalance(planId) {
      const balance = await readOperation("getPlanBalance", {
        planId,
        holderAddress: account ?? "",
      });
      // Amounts cross the wire as decimal strings.
      return { ...balance, balance: BigInt(balance.balance), held: BigInt(balance.held) };
    },
    async mint({ planId, agentId, scheme, network, resource, httpVerb, delegationId }) {
      const minted = await actions.mintAccessToken({
        accepted: {
          scheme,
          planId,
          ...(network && { network }),
          extra: { httpVerb, ...(agentId && { agentId }) },
        },
        resource,
        httpVerb,
        ...(delegationId && { delegationConfig: { delegationId } }),
      });
      return unwrap(minted);
    },
    async dryVerify(paymentRequired, x402AccessToken, maxAmount) {
      const input = { paymentRequired, x402AccessToken, ...(maxAmount && { maxAmount }) };
      return unwrap(await actions.dryVerify(input));
    },
    findRequest: (agentRequestId) =>
      readOperation("getRequest", { agentRequestId }).catch((cause) => {
        if (PaymentsError.is(cause) && cause.code === "not_found") return null;
        throw cause;
      }),
  };
}

/** The data of an action that went well; throws the error of one that did not. */
export function unwrap<T>(changed: Changed<T>): T {
  if (changed.ok) return changed.data;
  const { code, message, hint, details, requestId } = changed;
  throw new PaymentsError(readErrorCode(code), message, { hint, details, requestId });
}
