import {
  type AcceptedOffer,
  buildOffer,
  encodeAccessToken,
  hashOffer,
  isFree,
  MAX_UINT256,
  type ParsedInputOf,
  type SchemeId,
  type TokenPayload,
} from "@turnpike/payments/protocol";
import { fromMinorUnits, toMinorUnits } from "@/lib/console/minor-units.ts";
import { requireRoom } from "../accounts/room.ts";
import { auditNote, type Context, invalid, requireCaller } from "../context.ts";
import {
  countedByDelegation,
  requireCovering,
  requireCurrency,
  requireIdAlone,
  requireSameCurrency,
} from "../delegations/delegation-cover.ts";
import {
  getDelegationRecord,
  newDelegation,
  paymentMethodFor,
} from "../delegations/delegations.ts";
import { findKeyRoot, requireWithinRoot } from "../delegations/key-roots.ts";
import { isOwnerElsewhere, signatureRequired } from "../delegations/owner-signature.ts";
import { least } from "../orders/money.ts";
import { leaseSecsOf } from "../permissions/lease.ts";
import { orderTermsOf } from "../permissions/order-terms.ts";
import { requireLinkedAgent } from "../plans/agents.ts";
import { getPlanRecord } from "../plans/plans.ts";
import { type Rail, requireCharging } from "../rails/rail.ts";
import type { DelegationRecord, PlanRecord, TokenRecord } from "../records.ts";
import { refuseBearer } from "./holder.ts";

type MintInput = ParsedInputOf<"getX402AccessToken">;

const DAY_SECS = 86_400;
const DEFAULT_REDEMPTION_LIMIT = 1000;
/** 10.00 of any currency, for a sandbox delegation without given limits. */
const SANDBOX_LIMIT_MILLIONTHS = 10_000_000n;

/**
 * Mints an access token for a plan (§4.1, rules 1 to 4): under the delegation named, under one made
 * from the limits given, or under a default one. The token is shown this once.
 */
export async function getX402AccessToken(
  context: Context,
  input: MintInput,
  jti = context.ports.crypto.randomId(),
) {
  const { account } = requireCaller(context);
  const { crypto, clock, environment } = context.ports;
  await requireRoom(context, "tokens");
  const plan = await getPlanRecord(context, requirePlanId(input));
  const agentId = input.accepted.extra?.agentId;
  if (agentId) await requireLinkedAgent(context, agentId, plan.planId);
  if (!input.cnf) await refuseBearer(context, plan);
  const rail = requireRail(context, input, plan);
  const left = rail.isLeftOut && (await context.ports.plans.balance(plan.planId, account));
  if (!left || left.available === 0n) requireCharging(rail);
  const { delegation, isNew } = await delegationFor(context, input, plan, rail);

  const now = await clock.now();
  const issuedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = expiryOf(input, delegation, issuedAt);
  const redemptionLimit = input.redemptionLimit ?? DEFAULT_REDEMPTION_LIMIT;
  const orderLimit = orderLimitOf(rail, input, plan, delegation);
  const accepted = offerOf(rail, input, plan, agentId);
  const payload: TokenPayload = {
    authorization: {
      from: account,
      planId: plan.planId,
      // The specification has the member in every token (§2.2); empty, it is for any agent of the plan.
      agentId: agentId ?? "",
      delegationId: delegation.delegationId,
      jti,
      iat: issuedAt,
      exp: expiresAt,
      aud: environment,
      ...bindingOf(input),
      ...(input.cnf && { cnf: input.cnf }),
      accepted: hashOffer(accepted),
    },
    sessionKey: {
      address: delegation.sessionKeyAddress,
      permissions: ["order", "burn"],
      limits: {
        redemptionLimit,
        orderLimit: orderLimit.toString(),
        order: orderTermsOf(offeredBy(plan), rail),
      },
    },
  };
  const signature = crypto.signToken(payload, delegation.sessionKey);
  const record: TokenRecord = {
    jti,
    account,
    planId: plan.planId,
    agentId: agentId ?? null,
    delegationId: delegation.delegationId,
    canOrder: true,
    redemptionLimit,
    redeemed: 0,
    reserved: 0,
    orderLimit,
    orderSpent: 0n,
    orderReserved: 0n,
    issuedAt: new Date(issuedAt * 1000),
    expiresAt: new Date(expiresAt * 1000),
    revokedAt: null,
    leaseSecs: leaseSecsOf(input),
  };
  await context.ports.tokens.insert(
    record,
    isNew ? delegation : null,
    auditNote(context, "token.mint", jti),
  );
  const accessToken = encodeAccessToken({
    x402Version: 2,
    accepted,
    payload: { signature, ...payload },
    signature,
    extensions: {},
  });
  return {
    accessToken,
    tokenId: jti,
    delegationId: delegation.delegationId,
    expiresAt: record.expiresAt.toISOString(),
    ...(input.leaseSecs !== undefined && { leaseSecs: record.leaseSecs }),
  };
}

function requirePlanId({ accepted, delegationConfig }: MintInput): string {
  const planId = accepted.planId ?? accepted.extra?.planId ?? delegationConfig?.planId;
  if (planId) return planId;
  throw invalid("accepted.planId", "Say which plan the token is for.");
}

/** The plan's rail; refuses an offer that names another one. */
function requireRail({ ports }: Context, { accepted }: MintInput, plan: PlanRecord): Rail {
  const rail = ports.rails.getByPrice(plan.price);
  if (accepted.scheme === undefined || ports.rails.find(accepted.scheme)?.scheme === rail.scheme)
    return rail;
  throw invalid(
    "accepted.scheme",
    `Plan ${plan.planId} settles by ${rail.scheme}, not by ${JSON.stringify(accepted.scheme)}.`,
  );
}

/** The delegation the token acts under, and whether it is still to be written. */
async function delegationFor(
  context: Context,
  { delegationConfig: config, orderLimit }: MintInput,
  plan: PlanRecord,
  rail: Rail,
): Promise<{ delegation: DelegationRecord; isNew: boolean }> {
  if (config?.delegationId) {
    requireIdAlone(config);
    const delegation = await getDelegationRecord(context, config.delegationId);
    const path = "delegationConfig.delegationId";
    await requireCovering(context, delegation, plan, path);
    if (rail.fiatProvider) requireSameCurrency(context, delegation, plan, path);
    return { delegation, isNew: false };
  }
  const { environment } = context.ports;
  const { currency, total } = rail.quote(plan.price);
  requireCurrency(config?.currency, currency, "delegationConfig.currency");
  if (rail.needsOwnerSignature && !isFree(plan.price)) {
    const root = await rootFor(context, config, plan);
    if (root) return { delegation: root, isNew: false };
    if (await isOwnerElsewhere(context, requireCaller(context).account)) {
      throw signatureRequired("delegationConfig.delegationId");
    }
  }
  if (config?.spendingLimitCents || config?.planIds) await requireWithinRoot(context);
  const provider = rail.delegationProvider;
  const millionths = environment === "sandbox" ? SANDBOX_LIMIT_MILLIONTHS : total;
  const delegation = await newDelegation(context, {
    provider,
    spendingLimitCents:
      config?.spendingLimitCents ?? (currency ? toMinorUnits(millionths, currency) : 0n),
    durationSecs: config?.durationSecs ?? DAY_SECS,
    currency: currency ?? config?.currency ?? "usd",
    orderLimit: orderLimit ?? (currency === null && environment === "live" ? total : null),
    maxTransactions: config?.maxTransactions ?? null,
    paymentMethodId: await paymentMethodFor(context, provider, config?.providerPaymentMethodId),
    // Made for this token: spending on other plans takes a caller that says so.
    planIds: config?.planIds ?? [plan.planId],
    name: config?.name || null,
  });
  await requireCovering(context, delegation, plan, "delegationConfig.planIds");
  return { delegation, isNew: true };
}

/** The API key's own delegation, when it has one: limits given narrow the token, not the delegation. */
async function rootFor(
  context: Context,
  config: MintInput["delegationConfig"],
  plan: PlanRecord,
): Promise<DelegationRecord | null> {
  const root = await findKeyRoot(context);
  if (!root) return null;
  await requireCovering(context, root, plan, "apiKey");
  if (config?.maxTransactions !== undefined) throw countedByDelegation();
  return root;
}

/** The most the token may spend on orders, in the price's smallest unit. */
function orderLimitOf(
  rail: Rail,
  { orderLimit, delegationConfig }: MintInput,
  plan: PlanRecord,
  delegation: DelegationRecord,
): bigint {
  const { currency } = rail.quote(plan.price);
  const left = delegation.spendingLimitCents - delegation.spentCents - delegation.reservedCents;
  const byDelegation =
    currency === null ? (delegation.orderLimit ?? 0n) : fromMinorUnits(left, currency);
  const asked = delegationConfig?.spendingLimitCents;
  const byConfig =
    asked === undefined || currency === null ? MAX_UINT256 : fromMinorUnits(asked, currency);
  // Minor units converted to the price's smaller unit may exceed 2^256-1.
  return [byDelegation, byConfig, orderLimit ?? MAX_UINT256].reduce(least, MAX_UINT256);
}

/** When the token expires, in epoch seconds: after a day, or earlier if the caller or the delegation says so. */
function expiryOf(
  { expiration, delegationConfig }: MintInput,
  delegation: DelegationRecord,
  issuedAt: number,
): number {
  const byDelegation = Math.min(
    Math.floor(delegation.expiresAt.getTime() / 1000),
    issuedAt + (delegationConfig?.durationSecs ?? Number.POSITIVE_INFINITY),
  );
  if (expiration === undefined) return Math.min(issuedAt + DAY_SECS, byDelegation);
  const asked = Math.floor(Date.parse(expiration) / 1000);
  if (asked <= issuedAt) throw invalid("expiration", "The token would expire before it is issued.");
  return Math.min(asked, byDelegation);
}

/** What one order of the plan costs and grants now. */
const offeredBy = ({ version, price, credits }: PlanRecord) => ({
  version,
  price,
  granted: BigInt(credits.amount),
  durationSecs: credits.durationSecs,
});

/** The offer the token answers: the caller's own when it gave a whole one, else the plan's. */
function offerOf(
  rail: Rail,
  { accepted, cnf }: MintInput,
  plan: PlanRecord,
  agentId: string | undefined,
): AcceptedOffer {
  const built = buildOffer({
    planId: plan.planId,
    ...(agentId && { agentId }),
    ...(accepted.extra?.httpVerb && { httpVerb: accepted.extra.httpVerb }),
    // The builder of offers knows the public schemes by name; it passes any other through.
    scheme: rail.scheme as SchemeId,
    network: accepted.network ?? rail.network,
    payTo: rail.payTo(plan.price),
    amount: amountOf(accepted, cnf, plan.credits),
  });
  // A stock x402 server compares the answer with its own offer, member by member.
  const isWhole = typeof accepted.amount === "string" && typeof accepted.payTo === "string";
  const offer = isWhole
    ? { ...accepted }
    : { ...built, ...(accepted.scheme && { scheme: accepted.scheme }) };
  return {
    ...offer,
    scheme: offer.scheme ?? rail.scheme,
    network: offer.network ?? rail.network,
  } as AcceptedOffer;
}

/** A token bound to a key pays at most this for a request; another one may be used for any of the plan's amounts. */
function amountOf(
  { amount }: MintInput["accepted"],
  cnf: MintInput["cnf"],
  { minAmount, maxAmount }: PlanRecord["credits"],
): string {
  if (!cnf) return minAmount.toString();
  return typeof amount === "string" ? amount : maxAmount.toString();
}

function bindingOf({ resource, accepted, httpVerb = accepted.extra?.httpVerb }: MintInput) {
  const url = typeof resource === "string" ? resource : resource?.url;
  return { ...(url && { resource: url }), ...(httpVerb && { httpVerb: httpVerb.toUpperCase() }) };
}
