import { randomId } from "../client/random-id.ts";
import { createTtlCache } from "../client/ttl-cache.ts";
import { abbreviateToken, decodeAccessToken, MAX_TOKEN_LENGTH } from "../protocol/access-token.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { isExactOffer, readExactPayload, tokenOfExact } from "../protocol/exact/exact-payload.ts";
import type { X402PaymentRequired } from "../protocol/payment-required.ts";
import { planIdOf } from "../protocol/plans/plan-id-of.ts";
import type { RequestProof } from "../protocol/request-signature.ts";
import type { ChargeContext } from "./charge.ts";
import type { BuildRequirement } from "./lease/known-requirements.ts";
import { claimsOf, type Payment } from "./payment.ts";
import { isTemporary } from "./queue/retry.ts";
import type { SettleJobInput } from "./queue/settlement-queue.ts";
import { type Refusal, refuseToken, repeatedElsewhere, requirePayment } from "./refusals.ts";
import type { Repeatable } from "./repeats/repeats.ts";
import { type RequestFacts, startClock } from "./request-record.ts";
import type { Pricing } from "./requirement.ts";
import type { Route } from "./routes.ts";

/** A call whose credits are reserved, so that its work may run. */
type Authorization = {
  kind: "authorized";
  payment: Payment;
  settleInput: SettleJobInput & { agentRequestId: string };
};

/** A readable token, what it is to pay, its request, where its client named it, and its signature. */
type Given = {
  route: string;
  paymentRequired: X402PaymentRequired;
  x402AccessToken: string;
  token: AccessToken;
  repeat: Pick<Repeatable, "requestId" | "requestDigest" | "markPaid"> | null;
  proof: RequestProof | null;
};

type Context = Pick<ChargeContext, "service" | "logger">;

type Decision = (Authorization | Refusal) & { facts: RequestFacts };

/** A reservation lasts as long at the service. */
const RESERVED_MS = 5 * 60_000;

const loadUnverified = () => import("./faults/unverified.ts");

/** Verifies a token and reserves its credits (§3 step 4). */
function createVerifier(context: Context) {
  const { service, logger } = context;
  /** The attempts whose answer was lost, by request: what they reserved is this gate's own. */
  const unanswered = createTtlCache<string>(RESERVED_MS, 1000);

  return async function verifyToken(given: Given): Promise<Decision> {
    const { route, token, repeat, proof, ...sent } = given;
    const { paymentRequired } = sent;
    const { authorization } = token.payload;
    const { planId, agentId: ofToken } = authorization;
    const { accepts } = paymentRequired;
    // What a payment by `exact` bought before its offer left the route, the service knows by its client's own id.
    const offer =
      offerOf(paymentRequired, token) ??
      (repeat?.requestDigest && (accepts.find(isExactOffer) ?? accepts[0]));
    if (!offer) return { ...refuseToken(paymentRequired, "invalid_plan"), facts: {} };

    const ownId = repeat?.requestId ?? randomId("req_");
    const { scheme, network, amount = "1", extra } = offer;
    // Of the route, until the service has verified what the client wrote.
    const facts = { planId: planIdOf(offer), scheme, network, agentRequestId: ownId };
    // By `exact` the amount is money.
    const maxAmount = isExactOffer(offer) ? String(extra?.credits ?? "1") : amount;
    const requestDigest = repeat?.requestDigest;
    const asked = { maxAmount, requestDigest, ...(proof && { proof }), ...sent };
    // By `exact` there is no limit to read.
    const mayOrder = token.payload.sessionKey.limits?.orderLimit !== "0";
    // What its client did not name is another request at every attempt.
    const attemptId = repeat ? (unanswered.get(ownId) ?? randomId("try_")) : ownId;
    try {
      const input = { agentRequestId: ownId, attemptId, ...asked };
      const verification = await service.verify(input, { mayOrder }, repeat?.markPaid);
      unanswered.delete(ownId);
      if (!verification.isValid) {
        const refused = { ...verification, route, paymentRequired, offer };
        import("./faults/setup-faults.ts")
          .then((own) => own.logSetupFault(service, logger, refused))
          .catch(() => {});
        return { ...refuseToken(paymentRequired, verification.invalidReason, verification), facts };
      }
      // Another attempt has reserved for this request, and works on it. An id made here is not known to others.
      if (verification.isRepeat && (repeat || proof)) return { ...repeatedElsewhere(), facts };
      // The id of a signed request follows from its nonce.
      const { agentRequestId, payer, credits, agentId = ofToken || undefined } = verification;
      const settleInput = { agentRequestId, ...asked };
      const payment = {
        token: claimsOf(token),
        agentRequestId,
        payer,
        planId,
        agentId,
        credits: BigInt(credits),
        verification,
      };
      const { scheme, network } = isExactOffer(verification) ? verification : offer;
      const known = { planId, scheme, network, agentRequestId, payer, agentId };
      return { kind: "authorized", payment, settleInput, facts: known };
    } catch (error) {
      if (isTemporary(error)) unanswered.set(ownId, attemptId);
      const own = await loadUnverified();
      const input = { agentRequestId: ownId, ...asked };
      const refusal = await own.refuseUnverified(error, context, { input, planId, mayOrder });
      return { ...refusal, facts };
    }
  };
}

/** Builds a call's requirement (§3 step 2), then verifies its token. */
export function createAuthorizer(context: Context & { buildRequirement: BuildRequirement }) {
  const { service, logger } = context;
  const verifyToken = createVerifier(context);
  const reads = { ...service, logger };
  let unpriced:
    | Promise<ReturnType<typeof import("./faults/unpriced.ts").createUnpriced>>
    | undefined;

  return async function authorize<Input>(
    route: Route<Input>,
    call: Pricing<Input> & { token: string | null },
    { token, ...given }: Pick<Given, "repeat" | "proof"> & { token: AccessToken | null },
  ): Promise<Decision> {
    let requirement: X402PaymentRequired;
    const unread: Error[] = [];
    try {
      requirement = await context.buildRequirement(route, call, reads, (error) =>
        unread.push(error),
      );
    } catch (error) {
      const own = await loadUnverified();
      return { ...own.refuseUnbuilt(error, logger, route.key), facts: {} };
    }
    const readClock = startClock();
    const { token: text } = call;
    for (const error of unread) {
      unpriced ??= import("./faults/unpriced.ts").then((own) => own.createUnpriced(logger));
      const refusal = (await unpriced)(route.key, error);
      if (text !== null) return { ...refusal, facts: {} };
    }
    const decision =
      text !== null && token
        ? await verifyToken({
            route: route.key,
            paymentRequired: requirement,
            x402AccessToken: text,
            token,
            ...given,
          })
        : refuseUnread(requirement, text);
    const isValid = decision.kind === "authorized";
    const paymentToken = text && (token || isToken(text)) ? abbreviateToken(text) : undefined;
    const facts = { paymentToken, verify: { isValid, ...readClock() }, ...decision.facts };
    return { ...decision, facts };
  };
}

/** The offer that a token answers: of its plan, and by `exact` or not as the token is. */
const offerOf = ({ accepts }: X402PaymentRequired, { accepted, payload }: AccessToken) =>
  accepts.find(
    (each) =>
      planIdOf(each) === payload.authorization.planId &&
      isExactOffer(each) === isExactOffer({ scheme: accepted?.scheme }),
  );

// Headers sent twice arrive joined by a comma, which base64 does not have.
const isToken = (text: string | null): text is string =>
  text !== null && text.length <= MAX_TOKEN_LENGTH && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);

/** The document of a token as it was sent, or `null` when it is none. Proves nothing: only verify does. */
export function readToken(text: string | null): AccessToken | null {
  if (!isToken(text)) return null;
  const exact = readExactPayload(text);
  return exact ? tokenOfExact(exact) : decodeAccessToken(text);
}

const refuseUnread = (requirement: X402PaymentRequired, text: string | null): Decision => ({
  ...(text === null ? requirePayment(requirement) : refuseToken(requirement, "invalid_token")),
  // Also the plan behind a price, which the route does not name.
  facts: { planIds: [...new Set(requirement.accepts.flatMap((offer) => planIdOf(offer) ?? []))] },
});
