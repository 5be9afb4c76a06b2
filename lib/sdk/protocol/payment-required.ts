import * as z from "zod/mini";
import { ZERO_ADDRESS } from "./address.ts";
import { PaymentsError } from "./errors.ts";
import { networkOf, type SchemeId } from "./schemes.ts";
import { decodeHeader, X402_VERSION } from "./x402-headers.ts";

/** One way to pay: a scheme entry of a requirement (§2.4), complete for stock x402 parsers. */
export const PaymentOffer = z.object({
  scheme: z.string().check(z.minLength(1), z.maxLength(64)),
  network: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  planId: z.optional(z.string().check(z.maxLength(78))),
  amount: z.optional(z.string()),
  asset: z.optional(z.string()),
  payTo: z.optional(z.string()),
  maxTimeoutSeconds: z.optional(z.number()),
  extra: z.optional(
    z.looseObject({
      planId: z.optional(z.string().check(z.maxLength(78))),
      agentId: z.optional(z.string().check(z.maxLength(128))),
      httpVerb: z.optional(z.string().check(z.maxLength(16))),
      holderRequired: z.optional(z.boolean()),
      version: z.optional(z.string()),
    }),
  ),
});
export type PaymentOffer = z.output<typeof PaymentOffer>;

/** What a 402 asks for (§2.4). */
export const X402PaymentRequired = z.object({
  x402Version: z.literal(2),
  error: z.optional(z.string()),
  resource: z.optional(
    z.object({
      url: z.string().check(z.maxLength(2048)),
      description: z.optional(z.string().check(z.maxLength(2000))),
      mimeType: z.optional(z.string().check(z.maxLength(200))),
    }),
  ),
  accepts: z.array(PaymentOffer).check(z.minLength(1), z.maxLength(20)),
  extensions: z.optional(z.looseObject({})),
});
export type X402PaymentRequired = z.output<typeof X402PaymentRequired>;

/** What an offer of a plan is counted in: its credits, which are no token and no currency. */
const CREDITS_ASSET = "credits";

type OfferParts = {
  planId: string;
  agentId?: string;
  httpVerb?: string;
  scheme: SchemeId;
  network?: string;
  /** Credits asked for, as a decimal string; defaults to `1`. */
  amount?: string;
  asset?: string;
  payTo?: string;
};

/** One entry of `accepts`, with the fields of the specification and those stock x402 parsers demand. */
export function buildOffer(parts: OfferParts): PaymentOffer {
  const { planId, agentId, httpVerb, scheme } = parts;
  const isCard = scheme === "svc:card-delegation";
  return {
    scheme,
    network: parts.network ?? networkOf(scheme),
    planId,
    amount: parts.amount ?? "1",
    asset: parts.asset ?? CREDITS_ASSET,
    payTo: parts.payTo ?? (isCard ? "merchant" : ZERO_ADDRESS),
    maxTimeoutSeconds: 300,
    extra: { version: "1", planId, ...(agentId && { agentId }), ...(httpVerb && { httpVerb }) },
  };
}

/** What a 402 for one plan says (§5). */
export type BuildPaymentRequiredOptions = Omit<OfferParts, "scheme" | "asset" | "payTo"> & {
  /** The protected endpoint; becomes `resource.url`. */
  endpoint: string;
  /** When left out, `svc:erc4337`; use `payments.x402.buildPaymentRequired` to detect it from the plan. */
  scheme?: SchemeId;
  description?: string;
  mimeType?: string;
};

/**
 * A requirement with one offer (§4.2). Pure: the scheme is what you say, or `svc:erc4337`.
 *
 * @example buildPaymentRequired({ planId: "42", endpoint: "https://agent.example/ask", httpVerb: "POST" })
 */
export function buildPaymentRequired(options: BuildPaymentRequiredOptions): X402PaymentRequired {
  return buildPaymentRequiredForPlans({ ...options, planIds: [options.planId] });
}

/** The same for several plans, of which the caller pays with one. */
export type BuildPaymentRequiredForPlansOptions = Omit<
  BuildPaymentRequiredOptions,
  "planId" | "scheme"
> & {
  planIds: readonly string[];
  /** One scheme for all plans, or each plan's own. */
  scheme?: SchemeId | ((planId: string) => SchemeId);
};

/** A requirement with one offer per plan (§4.2). Throws `invalid_input` without a plan. */
export function buildPaymentRequiredForPlans({
  planIds,
  endpoint,
  scheme,
  description,
  mimeType,
  agentId,
  httpVerb,
  network,
  amount,
}: BuildPaymentRequiredForPlansOptions): X402PaymentRequired {
  if (planIds.length === 0) {
    throw new PaymentsError("invalid_input", "A payment requirement needs at least one plan id.");
  }
  return {
    x402Version: X402_VERSION,
    resource: {
      url: endpoint,
      ...(description && { description }),
      ...(mimeType && { mimeType }),
    },
    accepts: planIds.map((planId) =>
      buildOffer({
        planId,
        agentId,
        httpVerb,
        network,
        amount,
        scheme: typeof scheme === "function" ? scheme(planId) : (scheme ?? "svc:erc4337"),
      }),
    ),
    extensions: {},
  };
}

/** The extension for offers whose network stock x402 parsers refuse, such as `card-processor`. */
export const OTHER_OFFERS = "other-offers";

/** The requirement in a `payment-required` header, or `null` when it is not one. Never throws. */
export const decodePaymentRequired = (header: string): X402PaymentRequired | null =>
  readPaymentRequired(decodeHeader(header));

/** A requirement as it was sent, with the offers that its extension carries, or `null` when it is not one. Never throws. */
export function readPaymentRequired(value: unknown): X402PaymentRequired | null {
  return X402PaymentRequired.safeParse(withOtherOffers(value)).data ?? null;
}

/**
 * A requirement as it was sent, unchecked, with the offers that its extension carries after its own, or with those of the
 * answer's `body`, where a long header leaves out some. Never throws.
 */
export function withOtherOffers(value: unknown, body?: unknown): unknown {
  const sent = value as {
    accepts?: unknown[];
    extensions?: { [OTHER_OFFERS]?: { info?: { accepts?: unknown[] } } };
  } | null;
  if (!Array.isArray(sent?.accepts)) return value;
  const inBody = body as { paymentRequired?: { accepts?: unknown[] } } | null | undefined;
  const carried = offersIn(sent.extensions?.[OTHER_OFFERS]?.info?.accepts);
  const accepts = [...sent.accepts, ...carried];
  const whole = offersIn(inBody?.paymentRequired?.accepts);
  if (whole.length > accepts.length) return { ...sent, accepts: whole };
  return carried.length > 0 ? { ...sent, accepts } : value;
}

const offersIn = (sent: unknown): unknown[] =>
  z.array(PaymentOffer).safeParse(sent).success ? (sent as unknown[]) : [];
