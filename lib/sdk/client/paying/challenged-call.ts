import type { Connection } from "../connection.ts";
import type { Challenge } from "../offers.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import type { NamedCalls } from "./named-calls.ts";

/** A call that was answered by a 402. */
export type ChallengedCall = {
  /** With its `Idempotency-Key`. */
  original: Request;
  /** Whether the key is its caller's, who may make the call again. */
  hasKey: boolean;
  challenge: Response;
  reach: (request: Request) => Promise<Response>;
  options: PayingFetchOptions;
};

/** One without an offer of a plan. */
export type ExactCall = Omit<ChallengedCall, "hasKey"> & {
  connection: Connection;
  /** The call itself, also when it is made again; `id` names it for a wallet, whether or not its caller can. */
  name: string | null;
  id: string;
  calls: NamedCalls;
  /** Of the challenge. */
  body: Challenge["body"];
};
