import { SIGNATURE_TAG } from "../protocol/encoding/signature-base.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { buildOffer, type X402PaymentRequired } from "../protocol/payment-required.ts";
import type { Plan } from "../protocol/plans/plan.ts";
import { SIGNATURE_EXTENSION } from "../protocol/request-signature.ts";
import { networkOf, schemeOfPrice } from "../protocol/schemes.ts";
import { PAYMENT_IDENTIFIER, X402_VERSION } from "../protocol/x402-headers.ts";
import type { Logger } from "./logger.ts";
import { type PriceFunction, type Route, readCredits } from "./routes.ts";
import type { GateService } from "./service.ts";

/** How a call is named and priced. */
export type Pricing<Input> = {
  /** Names the called thing in the requirement. */
  resource: string;
  /** Asks a `credits` function for the price of this call; used at most once. */
  price(credits: PriceFunction<Input>): ReturnType<PriceFunction<Input>>;
  /** Tells the request from another one under the same id; absent where requests have no ids. */
  fingerprint?: object;
  /** Reads the request's signature; absent where requests cannot be signed. */
  proof?: object;
};

/** Says that a request may be named, and its repeat is free (x402 extension `payment-identifier`). */
const REPEATABLE = {
  [PAYMENT_IDENTIFIER]: {
    info: { required: false },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        required: { type: "boolean" },
        id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
      },
      required: ["required"],
    },
  },
};

/** Says that the gate passes on who signed a request, so that its token may be bound to a key (RFC 9421). */
const SIGNED = {
  [SIGNATURE_EXTENSION]: {
    info: { alg: "ed25519", tag: SIGNATURE_TAG },
    schema: { type: "object", required: ["signatureInput", "signature"] },
  },
};

/** Kept once loaded: an import of a loaded module still waits for the loader, which each call would pay. */
let exact: typeof import("./offers/exact-offer.ts") | undefined;

/**
 * The requirement of one call (§3 step 2): an offer per plan, each with the plan's scheme and the
 * route's credits, a fraction rounded up, brought into the plan's range. A request that its `credits` function cannot read is `onUnpriced`, and asked
 * for the plan's minimum.
 */
export async function buildRequirement<Input>(
  route: Route<Input>,
  call: Pricing<Input>,
  {
    readPlan,
    readPricedPlan,
    environment,
    logger,
  }: Pick<GateService, "readPlan" | "readPricedPlan" | "environment"> & { logger: Logger },
  onUnpriced: (error: Error) => unknown,
): Promise<X402PaymentRequired> {
  const [credits, priced, ...plans] = await Promise.all([
    priceOf(route, call, onUnpriced),
    route.price === undefined ? [] : readPricedPlan(route.price).then((plan) => [plan]),
    ...route.planIds.map(readPlan),
  ]);
  const offered = [...plans, ...priced];
  const isArchived = offered.every(({ archivedAt }) => archivedAt);
  // A plan of time counts no credits.
  const capped = plans.filter(
    ({ metadata, registry }) =>
      credits > registry.credits.maxAmount && metadata.plan.accessLimit !== "time",
  );
  if (isArchived || capped[0])
    import("./faults/plan-faults.ts")
      .then((own) => {
        if (isArchived) own.logArchived(logger, route.key, offered);
        for (const plan of capped) own.logCapped(logger, route.key, plan, credits);
      })
      .catch(() => {});
  const byWallet = (route.exact ? offered : priced).map((plan) => ({
    plan,
    credits: withinRange(credits, plan),
  }));
  if (byWallet[0]) exact ??= await import("./offers/exact-offer.ts");
  const { description, mimeType, agentId } = route;
  return {
    x402Version: X402_VERSION,
    resource: {
      url: withoutQuery(call.resource),
      ...(description && { description }),
      ...(mimeType && { mimeType }),
    },
    accepts: [
      ...plans.map((plan) => {
        const scheme = route.scheme ?? schemeOfPrice(plan.registry.price);
        const offer = buildOffer({
          planId: plan.planId,
          scheme,
          network: route.network ?? networkOf(scheme, environment),
          amount: String(withinRange(credits, plan)),
          httpVerb: route.method,
          ...(plan.registry.price.isCrypto && {
            payTo: plan.registry.price.receivers[0] ?? plan.owner,
          }),
          ...(agentId && { agentId }),
        });
        if (!plan.registry.credits.holderRequired) return offer;
        return { ...offer, extra: { ...offer.extra, holderRequired: true } };
      }),
      ...((byWallet[0] && exact?.exactOffers(byWallet, { route, environment, logger })) || []),
    ],
    extensions: { ...(call.fingerprint && REPEATABLE), ...(call.proof && SIGNED) },
  };
}

async function priceOf<Input>(
  route: Route<Input>,
  call: Pricing<Input>,
  onUnpriced: (error: Error) => unknown,
): Promise<bigint> {
  if (typeof route.credits === "bigint") return route.credits;
  let value: unknown;
  try {
    value = await call.price(route.credits);
  } catch (error) {
    if (!isUnread(error)) throw error;
    onUnpriced(error);
    return 1n;
  }
  const credits = readCredits(typeof value === "number" ? roundUp(value) : value);
  if (credits !== null) return credits;
  throw (await import("./faults/unpriced.ts")).wrongCredits(value);
}

/** 0.07 * 100 is a little above 7, and costs 7. */
const roundUp = (value: number) => Math.ceil(+value.toFixed(9)) || Math.ceil(value);

/** Whether a `credits` function could not read its request: `request.json()` and reading a member throw these. */
const isUnread = (error: unknown): error is Error =>
  PaymentsError.is(error)
    ? error.code === "invalid_input"
    : ["SyntaxError", "TypeError"].includes((error as Error | null)?.name ?? "");

function withinRange(credits: bigint, { registry: { credits: range } }: Plan): bigint {
  if (credits < range.minAmount) return range.minAmount;
  return credits > range.maxAmount ? range.maxAmount : credits;
}

/** The URL that a requirement names: a query may be private to the caller, and requirements are copied into tokens and logs. */
export const withoutQuery = (url: string) => url.split(/[?#]/, 1)[0] as string;
