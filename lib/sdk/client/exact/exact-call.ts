import type { Connection } from "../connection.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import type { NamedCalls } from "../paying/named-calls.ts";

/** A call that was answered by a 402 without an offer of a plan. */
export type ExactCall = {
  connection: Connection;
  /** With its `Idempotency-Key`. */
  original: Request;
  /** The call itself, also when it is made again; `id` names it for a wallet, whether or not its caller can. */
  name: string | null;
  id: string;
  calls: NamedCalls;
  challenge: Response;
  /** Of the challenge. */
  body: Record<string, unknown> | null;
  reach: (request: Request) => Promise<Response>;
  options: PayingFetchOptions;
};
