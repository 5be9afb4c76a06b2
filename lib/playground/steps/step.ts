import type { ExactPayload } from "@turnpike/payments/protocol";
import type { Exchange, PlainAnswer } from "../exchange.ts";
import type { Judgement } from "../outcomes.ts";
import type { PaymentToApprove, PlaygroundService, Transport } from "../ports.ts";
import type { Fact, Run, RunInput } from "../run.ts";

export type StepContext = {
  input: RunInput;
  transport: Transport;
  service: PlaygroundService;
  signal: AbortSignal;
  onProgress: (words: string) => void;
  onPartial: (answer: PlainAnswer) => void;
  /**
   * Shows what is about to be signed; false ends the run there, and a wallet of the person's own answers with what it
   * signed. Without it nothing by `exact` is signed.
   */
  approve?: (payment: PaymentToApprove) => Promise<boolean | ExactPayload["payload"]>;
  /** How long to look for a settlement that the response did not carry. */
  lookForMs?: number;
  pause?: (ms: number) => Promise<void>;
};

/** What a step ended in, what it adds to the run, and what the next step continues with. */
export type StepEnd<Found = never> = Judgement & {
  facts?: Fact[];
  exchange?: Exchange;
  reason?: string | null;
  changes?: Partial<
    Pick<Run, "requirement" | "planId" | "planName" | "agentRequestId" | "credits">
  >;
  /** `null` ends the exchange here. */
  found: Found | null;
};
