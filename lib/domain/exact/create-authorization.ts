import {
  EXACT,
  getCryptoPriceConfig,
  isAddress,
  type ParsedInputOf,
  type PaymentAuthorization,
  PaymentsError,
  readNetwork,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { toMinorUnits } from "@/lib/console/minor-units.ts";
import { auditNote, type Context, invalid, requireCaller } from "../context.ts";
import {
  countedByDelegation,
  requireCurrency,
  requireIdAlone,
} from "../delegations/delegation-cover.ts";
import { getDelegationRecord, newDelegation, statusOf } from "../delegations/delegations.ts";
import { findKeyRoot, requireWithinRoot } from "../delegations/key-roots.ts";
import { isOwnerElsewhere, signatureRequired } from "../delegations/owner-signature.ts";
import type { AccountPaymentRecord } from "../money/account-payments.ts";
import { limitText } from "../orders/limit-text.ts";
import { amountText, parCurrency } from "../orders/money.ts";
import type { OrderLimit } from "../orders/order-ports.ts";
import type { BudgetCause } from "../permissions/causes.ts";
import type { DelegationRecord } from "../records.ts";
import { exactOf } from "./refusals.ts";
import { resolveAuthorization, resolveLargest } from "./resolve-authorizations.ts";

type Input = ParsedInputOf<"createAuthorization">;
type Transfer = { asset: string; payTo: string; value: bigint; secs: number };

const DAY_SECS = 86_400;
/** A seller that asks for longer gets this: until then the money is reserved. */
const MOST_SECS = 300;
const LEAST_SECS = 10;
const SANDBOX_LIMIT_CENTS = 1_000n;

/**
 * Signs one payment by `exact` from the caller's account to any seller: reserved on the account and on a delegation until
 * the seller captures it or it expires. A repeat with the same key answers the same authorization and what became of it.
 */
export async function createAuthorization(
  context: Context,
  input: Input,
): Promise<PaymentAuthorization> {
  const { account } = requireCaller(context);
  const { ports } = context;
  const { idempotencyKey, earlierKey, resource } = input;
  const find = () => ports.money.findPayment(account, idempotencyKey);
  const transfer = readOffer(context, input);
  const earlier = earlierKey ? await ports.money.findPayment(account, earlierKey) : null;
  const known = (await find()) ?? (earlier?.authorization?.resource === resource ? earlier : null);
  if (known) return repeat(context, known, transfer);
  if (await isOwnerElsewhere(context, account)) throw signatureRequired("offer");
  const begun = await begin(context, input, transfer).catch((cause: unknown) => cause);
  // A concurrent request with the same key may have come first, and have used what this one lacks.
  const written = await find();
  if (written) return repeat(context, written, transfer);
  throw begun === "begun" ? new Error("The authorization is not in the journal.") : begun;
}

/** Writes the authorization with its reservations, or says why there is none. */
async function begin(
  context: Context,
  input: Input,
  transfer: Transfer,
): Promise<"begun" | PaymentsError> {
  const { account } = requireCaller(context);
  const { ports } = context;
  const cents = toMinorUnits(transfer.value, "usd");
  const { delegation, isNew } = await delegationFor(context, input, cents);
  const paymentId = ports.crypto.randomId();
  const note = auditNote(context, "authorization.create", paymentId);
  for (let attempt = 0; ; attempt++) {
    const balanceAt = await ports.clock.now();
    const { payment, balance, block } = await exactOf(context).sign({ account, ...transfer });
    const { asset: token, payTo: to, value: amount, nonce, signature } = payment;
    const begun = await ports.money.beginPayment(
      {
        paymentId,
        kind: EXACT,
        account,
        token,
        to,
        amount,
        idempotencyKey: input.idempotencyKey,
        balance,
        balanceAt,
      },
      note,
      {
        authorization: {
          offer: input.offer,
          resource: input.resource,
          validAfter: payment.validAfter.toString(),
          validBefore: payment.validBefore.toString(),
          nonce,
          signature,
        },
        delegation,
        isNew,
        cents,
        sinceBlock: block,
      },
    );
    if (begun.outcome === "begun") return "begun";
    if (begun.outcome === "limit") return limited(begun.limit);
    const { available } = begun;
    // Captured ones have left the balance already, and count twice until that is noted.
    const isOutdated =
      attempt === 0 && (await resolveLargest(ports, account, transfer.value - available));
    if (!isOutdated) return short(available);
    // A `Date` has no microseconds: what ended in this millisecond would count beside a balance that is read in it.
    await ports.pause(2);
  }
}

/** What the offer asks for, where this service can pay it. */
function readOffer(context: Context, { offer }: Input): Transfer {
  const { network, asset } = exactOf(context);
  if (offer.scheme !== EXACT || readNetwork(offer.network ?? "") !== network) {
    throw invalid("offer", `Only offers by ${EXACT} on ${network} are paid.`);
  }
  if (offer.asset?.toLowerCase() !== asset.toLowerCase()) {
    throw invalid(
      "offer.asset",
      `Only ${asset} can be paid: the value of other tokens is not known.`,
    );
  }
  if ((offer.extra?.assetTransferMethod ?? "eip3009") !== "eip3009") {
    throw invalid("offer.extra", "Only transfers by EIP-3009 are paid.");
  }
  const { payTo = "", amount = "" } = offer;
  const isPaid = isAddress(payTo) && payTo !== ZERO_ADDRESS;
  if (!isPaid) throw invalid("offer.payTo", "Expected the address of the seller.");
  if (!/^[1-9]\d{0,17}$/.test(amount)) {
    throw invalid("offer.amount", "Expected an amount above zero in the token's smallest unit.");
  }
  const asked = offer.maxTimeoutSeconds ?? MOST_SECS;
  const secs = Math.min(MOST_SECS, Math.max(LEAST_SECS, Math.floor(asked)));
  return { asset, payTo, value: BigInt(amount), secs };
}

async function repeat(
  context: Context,
  row: AccountPaymentRecord,
  { asset, payTo, value }: Transfer,
): Promise<PaymentAuthorization> {
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const { authorization } = row;
  if (
    !authorization ||
    row.amount !== value ||
    !isSame(row.to, payTo) ||
    !isSame(row.token, asset)
  ) {
    throw new PaymentsError(
      "idempotency_conflict",
      "This Idempotency-Key was used for another payment.",
    );
  }
  const { state, txHash } = await resolveAuthorization(context.ports, row);
  const { offer, validAfter, validBefore, nonce, signature } = authorization;
  return {
    authorizationId: row.paymentId,
    status: state === "refused" ? "expired" : state,
    delegationId: row.delegationId ?? "",
    offer,
    payload: {
      signature,
      authorization: {
        from: row.account,
        to: row.to,
        value: row.amount.toString(),
        validAfter,
        validBefore,
        nonce,
      },
    },
    ...(txHash && { txHash }),
  };
}

/** The delegation it is spent under: the one named, the API key's, or a new one that pays for any plan and seller. */
async function delegationFor(
  context: Context,
  { delegationConfig: config }: Input,
  cents: bigint,
): Promise<{ delegation: DelegationRecord; isNew: boolean }> {
  const { ports } = context;
  // The rail that plans in the same token are paid on.
  const price = getCryptoPriceConfig(1n, ZERO_ADDRESS, exactOf(context).asset);
  const { delegationProvider: provider } = ports.rails.getByPrice(price);
  if (config?.delegationId) {
    requireIdAlone(config);
    await requireWithinRoot(context, config.delegationId);
  }
  const named = config?.delegationId
    ? await getDelegationRecord(context, config.delegationId)
    : await findKeyRoot(context);
  if (named) {
    await requireSpendable(context, named, provider);
    // An API key's own delegation may allow more than the caller does.
    if (config?.maxTransactions !== undefined) throw countedByDelegation();
    if (cents > (config?.spendingLimitCents ?? cents)) throw limited("spendingLimitCents");
    return { delegation: named, isNew: false };
  }
  requireCurrency(config?.currency, "usd", "delegationConfig.currency");
  const isSandbox = ports.environment === "sandbox";
  const delegation = await newDelegation(context, {
    provider,
    spendingLimitCents: config?.spendingLimitCents ?? (isSandbox ? SANDBOX_LIMIT_CENTS : cents),
    durationSecs: config?.durationSecs ?? DAY_SECS,
    currency: config?.currency ?? "usd",
    orderLimit: null,
    maxTransactions: config?.maxTransactions ?? null,
    paymentMethodId: null,
    planIds: [],
    name: config?.name || null,
  });
  return { delegation, isNew: true };
}

async function requireSpendable(
  { ports }: Context,
  delegation: DelegationRecord,
  provider: string,
): Promise<void> {
  const path = "delegationConfig.delegationId";
  const status = statusOf(delegation, await ports.clock.now());
  if (status === "AwaitingSignature") throw signatureRequired(path, delegation.delegationId);
  if (status === "Revoked" || status === "Expired") {
    throw invalid(path, `The delegation is ${status.toLowerCase()}. Create another.`);
  }
  if (delegation.provider !== provider || parCurrency(delegation.currency) !== "usd") {
    throw invalid(path, "The delegation does not spend USDC.");
  }
  if (delegation.planIds.length > 0) {
    throw invalid(path, "The delegation pays for its plans only. Use one without plans.");
  }
}

const limited = (limit: OrderLimit | BudgetCause) =>
  new PaymentsError("payment_refused", `${limitText(limit)} Nothing was signed.`, {
    hint: "Create another delegation, or one with a higher limit.",
    details: [{ path: "delegationConfig", message: limit }],
  });

const short = (available: bigint) =>
  new PaymentsError(
    "payment_refused",
    `${amountText("usdc", available < 0n ? 0n : available)} is available, less than the price. Nothing was signed.`,
    {
      hint: "Deposit USDC, or wait until open payments expire.",
      details: [{ path: "offer.amount", message: "insufficient_funds" }],
    },
  );
