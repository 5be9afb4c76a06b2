import type {
  InputOf,
  OutputOf,
  Verification,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { DashboardOperations } from "@/lib/console/operations.ts";
import type { PlaygroundService } from "@/lib/playground/ports.ts";
import type { SandboxOperations } from "@/lib/sandbox/operations.ts";
import { readOperation } from "../../data/read-operation.ts";
import type { ActionAnswer } from "../../forms/action-answer.ts";
import { unwrap } from "../../forms/unwrap-answer.ts";

type Callable = DashboardOperations & SandboxOperations;

/** A server action that runs an operation. */
export type OperationAction<K extends keyof Callable> = (
  input: InputOf<K, Callable>,
) => Promise<ActionAnswer<OutputOf<K, Callable>>>;

/** The server actions a run calls. */
export type PlaygroundActions = {
  mintAccessToken: OperationAction<"getX402AccessToken">;
  dryVerify(input: {
    paymentRequired: X402PaymentRequired;
    x402AccessToken: string;
    maxAmount?: string;
  }): Promise<ActionAnswer<Verification>>;
};

/** The service as a run calls it from the browser, on behalf of the signed-in user. */
export function createSessionService(
  account: string | null,
  actions: PlaygroundActions,
): PlaygroundService {
  return {
    account,
    readPlan: (planId) => readOperation("getPlan", { planId }).catch(nullIfMissing),
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
      readOperation("getRequest", { agentRequestId }).catch(nullIfMissing),
  };
}

function nullIfMissing(cause: unknown): null {
  if (PaymentsError.is(cause) && cause.code === "not_found") return null;
  throw cause;
}
