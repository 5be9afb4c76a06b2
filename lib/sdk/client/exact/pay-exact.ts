import { PaymentsError } from "../../protocol/errors.ts";
import type { ExactSent } from "../../protocol/exact/exact-sent.ts";
import type { ForeignOffer } from "../../protocol/exact/foreign-offer.ts";
import { withOtherOffers } from "../../protocol/payment-required.ts";
import { CHAIN_NETWORKS } from "../../protocol/schemes.ts";
import { visibleText } from "../../protocol/visible-text.ts";
import { decodeHeader, encodeHeader, PAYMENT_IDENTIFIER } from "../../protocol/x402-headers.ts";
import type { Connection } from "../connection.ts";
import { type PaidResponse, type PayingFetchOptions, paidResponse } from "../paid-response.ts";
import type { ExactCall } from "../paying/challenged-call.ts";
import type { CallPayment } from "../paying/named-calls.ts";
import { identifierOf, isIdentifier } from "../paying/payment-identifier.ts";
import { reasonOf, repeating } from "../paying/repeat-lost.ts";
import { readPlan } from "../resolve-scheme.ts";
import { notAllowed, type Purchase, priceText } from "../spending/purchase.ts";
import { authorize } from "./authorize.ts";
import type { Authorized } from "./exact-types.ts";
import { canSign, signWith } from "./sign-exact.ts";

type Required = { accepts: unknown[]; resource?: unknown; extensions?: Record<string, unknown> };

const CENT = 10_000n;
/** As many as a 402 of a gate has: the service is asked about the plan of each. */
const MAX_OFFERS = 20;

/**
 * Pays the first offer by `exact` that the account, or the caller's own wallet, can pay within the call's limits, or answers why it
 * can't; null where there is none by `exact`. One authorization is signed for a call, however often it is sent, so the seller can be
 * paid once, whatever it answers.
 */
export async function payExact(call: ExactCall): Promise<PaidResponse | string | null> {
  const { connection, name, calls, options } = call;
  const required = readRequired(call);
  const isAllowed = options.planId === undefined && (options.scheme ?? "exact") === "exact";
  const offers = required?.accepts.flatMap(readOffer) ?? [];
  if (!required || !isAllowed || offers.length === 0) return null;
  const signable = offers
    .filter((each) => canSign(each, CHAIN_NETWORKS[connection.environment], options.signer))
    .slice(0, MAX_OFFERS);
  // Where none is within the limits, the error says what the first one costs.
  const ordered = [...signable.filter((each) => isWithin(call, each)), ...signable];
  const first = options.signer ? ordered[0] : await findForeign(connection, ordered);
  if (!first) {
    const networks = [...new Set(offers.map(({ network }) => network))].join(", ");
    return signable[0]
      ? "The offers by exact are for wallets: an account pays sellers on the same service with tokens. Pass a wallet as `signer`."
      : `The offers by exact are on ${visibleText(networks)}, in tokens or ways this account cannot pay.`;
  }
  const ways = signable.filter((each) => isInvited(each, options)).map(wayBy(options));
  const [signing] = await calls.claim(name, ways, () => sign(call, first));
  const signed = await signing;
  // Stock servers compare it with what they ask for now.
  const offer = [first, ...signable].find((each) => wayBy(options)(each) === signed.way) ?? first;
  const authorized = await renewed(call, offer, signed);
  const note = (state: "open" | "answered") => calls.note(name, Promise.resolve(authorized), state);
  note("open");
  // Its repeats may have taken minutes.
  const paid = await send(call, { required, offer, authorized }).finally(() => note("open"));
  if (paid.response.ok) note("answered");
  return paid;
}

/** Who pays an offer, and what: in another way, the call would be paid again. */
const wayBy =
  ({ signer }: PayingFetchOptions) =>
  ({ network, asset, payTo, amount }: ForeignOffer): string => {
    const payer = signer ? `wallet ${signer.address}` : "the account";
    return `exact: ${amount} of ${asset} on ${network} from ${payer} to ${payTo}`.toLowerCase();
  };

/**
 * A wallet signs again what has less than half of its time left: the same nonce pays once. Where it doesn't, what it has signed can
 * be captured anyway, so that pays. The service keeps an account's authorizations.
 */
async function renewed(call: ExactCall, offer: ForeignOffer, earlier: Signed): Promise<Signed> {
  const { renewAtMs, sent } = earlier;
  if (Date.now() <= renewAtMs) return earlier;
  return authorizationOf(call, offer).catch((error) => {
    if (Date.parse(sent.expiresAt) <= Date.now()) throw error;
    return earlier;
  });
}

/** Counts the payment, then has it signed. */
async function sign(call: ExactCall, offer: ForeignOffer): Promise<Signed> {
  const { connection, name, original, options } = call;
  // A wallet's nonce can be captured once in each token; the service signs an account's call once.
  const token = options.signer ? `${offer.network}/${offer.asset}/`.toLowerCase() : "";
  const purchase = { ...purchaseOf(offer, original.url), call: name && token + name };
  if (!isInvited(offer, options)) {
    throw notAllowed(
      purchase,
      `To allow it, pass \`maxSpend: ${purchase.cents}n\`, in cents, or its seller in \`allowSellers\`.`,
    );
  }
  const giveBack = await connection.spending.reserve(purchase, options.maxSpend);
  return authorizationOf(call, offer).catch(async (error) => {
    // Where the answer is lost, no seller has the authorization.
    await giveBack(purchase.cents);
    throw error;
  });
}

type Signed = Authorized & CallPayment;

async function authorizationOf(call: ExactCall, offer: ForeignOffer): Promise<Signed> {
  const { id, original, options } = call;
  const authorized = options.signer
    ? await signWith(options.signer, offer, id)
    : await authorize(call, offer, purchaseOf(offer, original.url));
  return { ...authorized, way: wayBy(options)(offer) };
}

/** The first offer that is of no plan of the service: those it takes from wallets only (ADR 86). Throws while it is not known. */
async function findForeign(
  connection: Connection,
  offers: ForeignOffer[],
): Promise<ForeignOffer | undefined> {
  for (const offer of offers) {
    const planId = offer.planId ?? offer.extra?.planId;
    const isOwn =
      typeof planId === "string" &&
      (await readPlan(connection, planId).catch((error) => {
        // A malformed id is of no plan, either.
        if (["not_found", "invalid_input"].includes(error.code)) return null;
        throw error;
      }));
    if (!isOwn) return offer;
  }
  return undefined;
}

type Sending = { required: Required; offer: ForeignOffer; authorized: Authorized };

async function send(
  { original, reach, options }: ExactCall,
  { required, offer, authorized }: Sending,
): Promise<PaidResponse> {
  const header = encodeHeader({
    x402Version: 2,
    ...(required.resource !== undefined && { resource: required.resource }),
    accepted: offer,
    payload: authorized.payload,
    ...(await extensionsOf(required, original)),
  });
  const once = () => {
    const headers = new Headers(original.headers);
    headers.set("payment-signature", header);
    // A redirect would carry the authorization to another place.
    return reach(new Request(original.clone(), { headers, redirect: "manual" }));
  };
  // The same authorization is asked for again: it can be captured once.
  const isNamed = required.extensions?.[PAYMENT_IDENTIFIER] !== undefined;
  const response = await repeating(once, { signal: original.signal, isNamed })(null).catch(
    async (cause) => {
      const payment = await authorized.confirm();
      const isTold = PaymentsError.is(cause) && cause.code === "outcome_unknown";
      const lost = isTold ? cause.message : "The seller's answer was lost.";
      // Only this process knows in which token a wallet's nonce was signed.
      const hint = options.signer
        ? "Call again with the same Idempotency-Key: this process never pays twice. Another one can, if the seller asks for another token or network by then: wait until this payment has expired, and check whether it was captured."
        : "Call again with the same Idempotency-Key: it never pays twice.";
      const told = { cause: isTold ? cause.cause : cause, hint, payment };
      throw new PaymentsError("outcome_unknown", `${lost} ${stateText(payment)}`, told);
    },
  );
  const paid = paidResponse(response);
  const payment = await authorized.confirm();
  const agentRequestId = paid.agentRequestId ?? payment.authorizationId ?? null;
  const answer = { ...paid, agentRequestId, payment };
  if (response.status !== 402) return answer;
  const reason = await reasonOf(response);
  return {
    ...answer,
    declined: `The seller refused the payment${reason}. ${stateText(payment)}`,
  };
}

/** What is known of the money, in one sentence. */
function stateText({ status, amount, expiresAt, transaction }: ExactSent): string {
  const price = priceText(BigInt(amount), "usdc");
  const at = `${expiresAt.slice(0, 19).replace("T", " ")} UTC`;
  const texts = {
    paid: `It captured ${price} in transaction ${transaction}.`,
    open: `It has not captured the ${price}, and can until ${at}.`,
    expired: `The authorization of ${price} expired unused. Nothing was paid.`,
    unknown: `It may have captured the ${price}, and can until ${at}.`,
  };
  return texts[status];
}

/** What the 402 asks for, with every member: a stock server compares the answer with its own. */
function readRequired({ challenge, body }: ExactCall): Required | null {
  const header = challenge.headers.get("payment-required");
  const document =
    header === null ? (body?.paymentRequired ?? body) : withOtherOffers(decodeHeader(header), body);
  const { x402Version, accepts } = (document ?? {}) as Record<string, unknown>;
  return x402Version === 2 && Array.isArray(accepts) ? (document as Required) : null;
}

/** The service checks it again before it signs. */
function readOffer(given: unknown): ForeignOffer[] {
  const offer = (given ?? {}) as ForeignOffer;
  const { scheme, network, amount, asset, payTo } = offer;
  const isPayable =
    scheme === "exact" &&
    typeof network === "string" &&
    typeof asset === "string" &&
    /^[1-9]\d{0,17}$/.test(amount) &&
    isAccount(payTo);
  return isPayable ? [offer] : [];
}

const isAccount = (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text);

function purchaseOf({ amount, payTo: seller }: ForeignOffer, url: string): Purchase {
  const total = BigInt(amount);
  const subject = `A request to ${new URL(url).host} of seller ${seller} costs ${priceText(total, "usdc")}`;
  const cents = (total + CENT - 1n) / CENT;
  return { planId: "", subject, seller, currency: "usd", cents, total };
}

const isInvited = (
  { payTo: seller }: ForeignOffer,
  { maxSpend, allowSellers }: PayingFetchOptions,
) =>
  maxSpend !== undefined ||
  (allowSellers ?? []).some((address) => address.toLowerCase() === seller.toLowerCase());

/** Whether the call invites an offer and allows its price. */
function isWithin({ connection, original, options }: ExactCall, offer: ForeignOffer) {
  const purchase = purchaseOf(offer, original.url);
  const most = connection.spending.ceiling(options.maxSpend) ?? -1n;
  return isInvited(offer, options) && purchase.cents <= most;
}

/**
 * The extensions as the seller sent them; with the call's `Idempotency-Key`, where it knows a repeat by it. The id may not follow
 * from the authorization: that is public once it is captured, and the id gets the answer again.
 */
async function extensionsOf({ extensions }: Required, { headers }: Request) {
  if (!extensions) return {};
  const asked = extensions[PAYMENT_IDENTIFIER] as { info?: { required?: unknown } } | undefined;
  const key = headers.get("idempotency-key") ?? "";
  // A key of another form is named by the header alone, unless the seller insists.
  if (!asked || !(isIdentifier(key) || asked.info?.required)) return { extensions };
  const identified = { ...asked, info: { ...asked.info, id: await identifierOf(key) } };
  return { extensions: { ...extensions, [PAYMENT_IDENTIFIER]: identified } };
}
