import type { Settlement } from "../protocol/permission.ts";
import type { RequestProof } from "../protocol/request-signature.ts";
import type { Unnamed } from "./faults/unnamed.ts";
import type { Payment } from "./payment.ts";
import type { Refusal } from "./refusals.ts";
import type { KeptAnswer } from "./repeats/answer-store.ts";
import type { Pricing } from "./requirement.ts";
import type { SuccessCheck } from "./verdict/outcome.ts";
import type { StreamEnd } from "./watch-stream.ts";

/** A call that may have to be paid for, whatever protocol carried it. */
export type PaidCall<Input, Answer> = Pricing<Input> & {
  method: string;
  /** Decides the route: an absolute URL, or a path. */
  url: string;
  /** The access token as it was sent; `null` when none was. */
  token: string | null;
  /** Whether the request asks the app behind the gate to run another method; absent when it cannot. */
  overridesMethod?: (() => Promise<boolean>) | null;
  /** The id by which the client names the request, as it was sent. */
  idempotencyKey?: string | null;
  /** The request's signature by its token's holder, if any; asked for only where the token is bound to a key. */
  proof?(): Promise<RequestProof | null>;
  /** Tells the request from another one under the same id, or says why it can't. */
  fingerprint?(isAsked?: boolean): Promise<string | Unnamed>;
  /** Runs the work. `late` is aborted when it runs out of time. */
  run(payment: Payment, late?: AbortSignal): Promise<Answer>;
  /** Called with what the work throws, which is then answered with 500. By default the call rejects with it. */
  onError?: ((error: unknown) => void) | undefined;
  /** The status the answer has, or would have over HTTP: for events and reports. */
  statusOf(answer: Answer): number;
  /**
   * Waits for the parts that are waited for: the answer is then whole, or still flowing. `isVerdictAwaited` says that it is
   * charged before it is delivered, so that a stream is waited for too, which may still report a failure. Default: whole.
   */
  hold?(answer: Answer, isVerdictAwaited: boolean): Promise<"whole" | "flowing">;
  /** Whether a whole answer is one of work that succeeded, by the route's own check where it has one. */
  hasSucceeded?(answer: Answer, isSuccess: SuccessCheck | undefined): boolean | Promise<boolean>;
  /** Drops an answer the caller will not get. */
  discard?(answer: Answer): Promise<void>;
  /** How an answer is written for a store before it has a receipt, and read again; `null` for one that can't be. */
  frozen?(): Promise<{ freeze(answer: Answer): Frozen | null; thaw(frozen: Frozen): Answer }>;
};

/** An answer as bytes, and what surrounds them. */
export type Frozen = { head: string; body: Uint8Array<ArrayBuffer> };

/** Keeps an answer for repeats of its request; without one, notes that it is paid. Present exactly when they may come. */
export type Keep = (answer: Frozen | null) => Promise<void>;

/** What became of a call. */
export type Outcome<Answer> =
  | { kind: "not-gated" }
  | (Refusal & { keep?: Keep })
  /** The work ran and did not succeed: nothing was charged. The receipt is for an answer that looks like a success. */
  | { kind: "not-charged"; answer: Answer; agentRequestId: string; settlement?: Settlement }
  /** The settlement of a delivered answer; `success: false` is retried in the background. */
  | {
      kind: "delivered";
      answer: Answer;
      agentRequestId: string;
      settlement: Settlement;
      keep?: Keep;
    }
  /** The answer was given before, to the same token and id; nothing was charged. */
  | { kind: "repeated"; kept: KeptAnswer }
  /**
   * The answer is still being written. `begin` is called before its first byte, so that a crash does not lose
   * what is owed from then on; `end` when it is over: it settles what reached the caller.
   */
  | {
      kind: "flowing";
      answer: Answer;
      agentRequestId: string;
      isSuccess: SuccessCheck | undefined;
      begin(): Promise<void>;
      end(how: StreamEnd): Promise<Settlement | null>;
      keep?: Keep;
    };
