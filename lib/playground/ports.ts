import type {
  Plan,
  PlanBalance,
  RequestRecord,
  Verification,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { Exchange, PlainRequest } from "./exchange.ts";

/** Sends a request through the service's guarded fetcher or from the browser. Throws only when aborted. */
export type Transport = (
  request: PlainRequest,
  options: { signal: AbortSignal; onProgress: (words: string) => void },
) => Promise<Exchange>;

export type MintChoice = {
  planId: string;
  agentId: string | undefined;
  scheme: string;
  network: string | undefined;
  resource: string;
  httpVerb: string;
  delegationId: string | undefined;
};

/** The service as a run calls it, on behalf of the signed-in user. Methods throw `PaymentsError`. */
export interface PlaygroundService {
  /** Null without a session: plans can be read, but no token can be minted. */
  account: string | null;
  readPlan(planId: string): Promise<Plan | null>;
  readBalance(planId: string): Promise<PlanBalance>;
  mint(choice: MintChoice): Promise<{ accessToken: string; delegationId: string }>;
  dryVerify(
    requirement: X402PaymentRequired,
    token: string,
    maxAmount: string | undefined,
  ): Promise<Verification>;
  /** The payer's record of a request, or null while there is none. */
  findRequest(agentRequestId: string): Promise<RequestRecord | null>;
}
