import type { Connection } from "./connection.ts";
import { type PaidResponse, type PayingFetchOptions, paidResponse } from "./paid-response.ts";
import type { createChallengePayer } from "./paying/pay-challenge.ts";
import type { GetApproval } from "./paying/pay-offers.ts";
import { randomId } from "./random-id.ts";

const IDEMPOTENCY_KEY = "idempotency-key";

/** A `fetch` that meets a 402, pays within its limits, and repeats the request with a token. */
export function createPayingFetch(connection: Connection, getApproval: GetApproval) {
  let payer: Promise<ReturnType<typeof createChallengePayer>> | undefined;

  /**
   * Fetches, and pays when asked to: reads the requirement, mints a token for its plan and agent, good
   * for this method and path alone, or reuses one, and repeats the request. A plan with credits left pays with
   * them. Another is ordered only within `maxSpend`, and one that is new to the account only when the call allows it.
   * Every request carries an `Idempotency-Key`, one for the whole call, and where the agent's gate takes signatures, the
   * token is bound to a key of this process and each request signed with it: no one else can use either. Throws `spending_not_allowed` before anything
   * is ordered, and what minting throws; a 402 it cannot pay comes back as it is, with `declined` telling why. A seller that
   * takes no plans is paid by `exact` from the account, or by `signer`, within the same limits; `outcome_unknown` says that
   * its answer was lost, and a call with the same `Idempotency-Key` never pays it twice, nor by a plan and by `exact`.
   *
   * @example
   * const { response, receipt } = await payments.fetch(url, { method: "POST", body }, { maxSpend: 500n })
   */
  return async function payingFetch(
    url: string | URL,
    init: RequestInit = {},
    options: PayingFetchOptions = {},
  ): Promise<PaidResponse> {
    // Kept whole, because a body can be read once and may be sent several times.
    const original = new Request(url, init);
    const hasKey = original.headers.has(IDEMPOTENCY_KEY);
    if (!hasKey) original.headers.set(IDEMPOTENCY_KEY, randomId("idem_"));
    const reach = options.fetch ?? ((request: Request) => globalThis.fetch(request));
    const challenge = await reach(original.clone());
    if (challenge.status !== 402) return paidResponse(challenge);
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
