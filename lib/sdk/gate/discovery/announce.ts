import { inTime } from "../../client/waiting/in-time.ts";
import type { SignedStatement } from "../../protocol/offer-receipt/signed.ts";
import type { OFFER_RECEIPT } from "../../protocol/offer-receipt/statement.ts";
import type { X402PaymentRequired } from "../../protocol/payment-required.ts";
import type { Logger } from "../logger.ts";
import type { Refusal } from "../refusals.ts";
import type { Route } from "../routes.ts";
import { bazaarOf } from "./bazaar.ts";

type Signed = { offers: SignedStatement[] };
export type SignOffers = (input: {
  resource: string;
  accepts: X402PaymentRequired["accepts"];
  format: SignedStatement["format"];
}) => Promise<Signed>;

/** A caller waits no longer than this for signatures, and gets the offers without them then. */
const WAIT_MS = 2_000;
/** Offers newly signed; with more a minute, a flood of paths at a gate would be one at the service. */
const MAX_PER_MINUTE = 60;
const MAX_KEPT = 500;
/** The service signs offers for ten minutes by its own clock; one that is announced lasts for two more. */
const KEPT_MS = 480_000;
const FAILURE_KEPT_MS = 120_000;

// Spelled here, so that the client's bundle does not carry the schemas beside it.
const EXTENSION: typeof OFFER_RECEIPT = "offer-receipt";

const OFFERS_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { offers: { type: "array", items: { type: "object" } } },
  required: ["offers"],
};

/**
 * Adds to a 402 how its route is called (x402 `bazaar`) and the signatures of its offers (`offer-receipt`). What cannot be
 * signed in time is offered unsigned.
 */
export function createAnnouncer(
  sign: SignOffers,
  { format, logger }: { format: SignedStatement["format"] | undefined; logger: Logger },
) {
  const kept = new Map<string, { signed: Promise<Signed | null>; until: number; at: number }>();
  let minute = { started: performance.now(), count: 0 };

  function signedFor({ resource, accepts }: X402PaymentRequired): Promise<Signed | null> {
    if (!format || !resource) return Promise.resolve(null);
    // The offers of each 402 have another id, which is not signed.
    const key = JSON.stringify([resource.url, accepts], (name, value) =>
      name === "challengeId" ? undefined : value,
    );
    const now = performance.now();
    const known = kept.get(key);
    // While a machine is suspended, its steady clock may stand still.
    const isKept = known && known.until > now && Math.abs(Date.now() - known.at) < KEPT_MS;
    if (isKept) return known.signed;
    if (now - minute.started >= 60_000) minute = { started: now, count: 0 };
    minute.count += 1;
    if (minute.count > MAX_PER_MINUTE) return Promise.resolve(null);
    const signed = sign({ resource: resource.url, accepts, format }).then(
      (answer) => {
        Object.assign(entry, { until: performance.now() + KEPT_MS, at: Date.now() });
        return answer;
      },
      (error: unknown) => {
        logger.error("The offers were not signed.", {
          resource: resource.url,
          reason: String(error),
        });
        return null;
      },
    );
    // A failure is kept for as long as an answer under way.
    const entry = { signed, until: now + FAILURE_KEPT_MS, at: Date.now() };
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, entry);
    return signed;
  }

  return async function announce<Input>(
    refusal: Refusal,
    route: Route<Input>,
    url: string,
  ): Promise<Refusal> {
    const { paymentRequired } = refusal.body;
    if (!paymentRequired) return refusal;
    const { discovery, method, segments, tool, description } = route;
    const signed = await inTime(signedFor(paymentRequired), WAIT_MS);
    const extensions = {
      ...paymentRequired.extensions,
      ...(discovery && {
        bazaar: bazaarOf({ discovery, method, segments, url, tool, description }),
      }),
      ...(signed && {
        [EXTENSION]: { info: { offers: signed.offers }, schema: OFFERS_SCHEMA },
      }),
    };
    return {
      ...refusal,
      body: { ...refusal.body, paymentRequired: { ...paymentRequired, extensions } },
    };
  };
}
