import type {
  ExactPayload,
  ForeignOffer,
  Plan,
  PlanBalance,
  RequestRecord,
  Verification,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { Exchange, PlainAnswer, PlainRequest } from "./exchange.ts";
import type { Fact } from "./run.ts";

/** Sends a request through the service's guarded fetcher or from the browser. Throws only when aborted. */
export type Transport = (request: PlainRequest, options: TransportOptions) => Promise<Exchange>;

type TransportOptions = {
  signal: AbortSignal;
  onProgress: (words: string) => void;
  /** Called with the response as far as it has arrived. */
  onPartial?: (answer: PlainAnswer) => void;
  /** How long the whole request may take. */
  limitSecs?: number;
};

/** Who pays for a run: the person's test customer, in the sandbox only, or their own account. */
export type RunPayer = "test" | "own";

/** What a run opened, to be revoked at its end: a delegation made for it, or a token under another one. */
export type RunPermission = { delegationId: string; tokenId: string; isItsOwn: boolean };

type MintChoice = {
  planId: string;
  agentId: string | undefined;
  scheme: string;
  network: string | undefined;
  resource: string;
  /** Absent where the offer names none: the token is then good for any. */
  httpVerb: string | undefined;
  delegationId: string | undefined;
};

/** One payment by `exact` to be signed. */
type AuthorizeChoice = { offer: ForeignOffer; resource: string; idempotencyKey: string };

/** What a payer is asked to sign, in words; times are ISO 8601. */
export type PaymentToApprove = {
  offer: ForeignOffer;
  /** `0.01 USDC`. */
  price: string;
  network: string;
  host: string;
  /** How long the seller has to collect it. */
  secs: number;
  checks: Fact[];
};

/** The service as a run calls it, on behalf of its payer. Methods throw `PaymentsError`. */
export interface PlaygroundService {
  /** The payer's address, known after the first balance was read. Null without a session: no token can be minted. */
  readonly account: string | null;
  readPlan(planId: string): Promise<Plan | null>;
  readBalance(planId: string): Promise<PlanBalance>;
  mint(choice: MintChoice): Promise<{ accessToken: string; delegationId: string }>;
  /** Signs one payment by `exact`; the same id answers the same one. */
  authorize?(choice: AuthorizeChoice): Promise<ExactPayload["payload"]>;
  dryVerify(
    requirement: X402PaymentRequired,
    token: string,
    maxAmount: string | undefined,
  ): Promise<Verification>;
  /** The payer's record of a request, or null while there is none. */
  findRequest(agentRequestId: string): Promise<RequestRecord | null>;
  /** Revokes what `mint` opened; null when it opened nothing. What could not be revoked expires in ten minutes. */
  end(): Promise<"ended" | "expires" | null>;
}
