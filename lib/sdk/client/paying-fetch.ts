import type { Connection } from "./connection.ts";
import { type PaidResponse, type PayingFetchOptions, paidResponse } from "./paid-response.ts";
import type { createChallengePayer } from "./paying/pay-challenge.ts";
import type { GetApproval } from "./paying/pay-offers.ts";
import { randomId } from "./random-id.ts";
import { untilAborted } from "./waiting/until-aborted.ts";

const IDEMPOTENCY_KEY = "idempotency-key";

/** A `fetch` that meets a 402, pays within its limits, and repeats the request with a token. */
export function createPayingFetch(connection: Connection, getApproval: GetApproval) {
  let payer: Promise<ReturnType<typeof createChallengePayer>> | undefined;

  return async function payingFetch(
    url: string | URL,
    init: RequestInit = {},
    options: PayingFetchOptions = {},
  ): Promise<PaidResponse> {
    // Kept whole, because a body can be read once and may be sent several times.
    const original = new Request(url, init);
    const hasKey = original.headers.has(IDEMPOTENCY_KEY);
    if (!hasKey) original.headers.set(IDEMPOTENCY_KEY, randomId("idem_"));
    const signal = init.signal ?? undefined;
    const send =
      options.fetch ?? ((request: Request) => globalThis.fetch(request, signal && { signal }));
    // Node forgets which requests follow a signal: it is given to `fetch` itself, and heeded here.
    const reach = (request: Request) => untilAborted(send(request), signal);
    const challenge = await reach(original.clone());
    if (challenge.status !== 402) return paidResponse(challenge, original);
    payer ??= import("./paying/pay-challenge.ts")
      .then((own) => own.createChallengePayer(connection, getApproval))
      .catch((error) => {
        // A browser may load it the next time.
        payer = undefined;
        throw error;
      });
    return (await payer)({ original, hasKey, challenge, reach, options });
  };
}
