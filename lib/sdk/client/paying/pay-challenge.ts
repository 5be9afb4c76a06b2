import { PaymentsError } from "../../protocol/errors.ts";
import { SIGNATURE_EXTENSION } from "../../protocol/request-signature.ts";
import type { Connection } from "../connection.ts";
import { payExact } from "../exact/pay-exact.ts";
import { type PayableOffer, payableOffers, readRequirement } from "../offers.ts";
import { type PaidResponse, type PayingFetchOptions, paidResponse } from "../paid-response.ts";
import { createRequestSigner } from "../request-signer.ts";
import { checkNames } from "../spending/check-names.ts";
import type { ChallengedCall } from "./challenged-call.ts";
import { createKnownSellers } from "./known-sellers.ts";
import { createNamedCalls, digestOf, outcomeUnknown } from "./named-calls.ts";
import { createOfferPayer, type GetApproval } from "./pay-offers.ts";
import { readBody } from "./read-body.ts";

const OPTIONS = [
  ...["maxCredits", "planId", "scheme", "maxSpend", "allowPlans", "allowSellers", "tokenOptions"],
  ...["fetch", "signer", "approvalTimeoutMs", "callName"],
];

/** What limits nothing under its name, or in its form, must not be paid by. */
function checkOptions(options: PayingFetchOptions): void {
  checkNames("Options of a paid call", options, OPTIONS);
  for (const name of ["allowPlans", "allowSellers"] as const) {
    if (!Array.isArray(options[name] ?? [])) {
      throw new PaymentsError("invalid_input", `\`${name}\` is not a list.`);
    }
  }
}

/** Pays for the calls of one instance. Loaded at the first 402. */
export function createChallengePayer(connection: Connection, getApproval: GetApproval) {
  const calls = createNamedCalls();
  const payOffers = createOfferPayer(connection, getApproval, calls);
  const sellers = createKnownSellers(connection);
  let signing: Promise<unknown> | undefined;
  const canSign = async () => {
    signing ??= createRequestSigner();
    return (await signing) !== null;
  };

  return async function payChallenge(call: ChallengedCall): Promise<PaidResponse> {
    const { original, hasKey, challenge, options } = call;
    checkOptions(options);
    const { headers, method, url } = original;
    const id = JSON.stringify([headers.get("idempotency-key"), method, options.callName ?? url]);
    const name = hasKey ? await digestOf(id) : null;
    const decline = async (declined: string): Promise<PaidResponse> => {
      const paid = await calls.find(name)?.catch(() => null);
      if (paid) throw outcomeUnknown(paid);
      return { ...paidResponse(challenge, original), declined };
    };
    if (challenge.redirected)
      return decline(`The request was redirected to ${challenge.url}. To pay, call that address.`);

    const asked = { ...call, ...readRequirement(challenge, await readBody(challenge)), name };
    const isSigned =
      asked.requirement?.extensions?.[SIGNATURE_EXTENSION] !== undefined && (await canSign());
    const checkSeller = (offer: PayableOffer) => sellers.check(offer, call);
    let offers = await payableOffers(asked, connection, options);
    if (!isSigned && !("declined" in offers)) offers = await sellers.among(offers, call);
    if (!("declined" in offers)) {
      // An answer without an end would keep its connection.
      void challenge.body?.cancel().catch(() => {});
      return payOffers({ ...asked, offers, isSigned, checkSeller });
    }
    const { declined, isOfPlans } = offers;
    const paid = isOfPlans ? declined : await payExact({ ...asked, connection, calls, id });
    return typeof paid === "object" && paid ? paid : decline(paid ?? declined);
  };
}
