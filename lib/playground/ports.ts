import type {
  Plan,
  PlanBalance,
  RequestRecord,
  Verification,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { Exchange, PlainRequest } from "./exchange.ts";

/** Sends a request from where the run runs: the service's guarded fetcher, or the browser. Never throws but when aborted. */
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

/** What a run asks the service, as the person signed in. Methods throw `PaymentsError`. */
export interface PlaygroundService {
  /** Null when nobody is signed in: then plans can be read and nothing be minted. */
  account: string | null;
  readPlan(planId: string): Promise<Plan | null>;
  readBalance(planId: string): Promise<PlanBalance>;
  mint(choice: MintChoice): Promise<{ accessToken: string; delegationId: string }>;
  dryVerify(
    requirement: X402PaymentRequired,
    token: string,
    maxAmount: string | undefined,
  ): Promise<Verification>;
  /** The payer's own record of a request, or null while there is none. */
  findRequest(agentRequestId: string): Promise<RequestRecord | null>;
}
