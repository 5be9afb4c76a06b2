import {
  type Change,
  type Draft,
  FREE,
  NO_RAILS,
  NOW,
  OTHER_COIN,
  OWNER,
  PAYER,
  STRANGER,
} from "./question-draft.ts";
import { priceFigures, STABLE_TOKEN } from "./second-arithmetic.ts";

const at = (offset: number) => new Date(NOW + offset);

const ofToken: Record<string, Change> = {
  "token not sound": ({ question }, { pick }) => {
    const detail = pick([
      "malformed",
      "no_expiry_or_id",
      "other_environment",
      "address_spelling",
      "offer_changed",
      "no_signature",
      "signature",
    ] as const);
    question.inspected = { isSound: false, detail };
  },
  "token unknown": ({ question: { facts } }) => {
    facts.token = null;
    facts.delegation = null;
    facts.balance = null;
  },
  "delegation unknown": ({ question: { facts } }) => {
    facts.delegation = null;
  },
  "another session key": ({ delegation }) => {
    delegation.sessionKeyAddress = STRANGER;
  },
  "token of another account": ({ token }) => {
    token.account = STRANGER;
  },
  "token of another plan": ({ token }) => {
    token.planId = "43";
  },
  "token revoked": ({ token }) => {
    token.isRevoked = true;
  },
  "token ends now": ({ token }) => {
    token.expiresAt = at(0);
  },
  "token ended": ({ token }) => {
    token.expiresAt = at(-1);
  },
  "not signed by its holder": ({ question }) => {
    question.holder = "unsigned";
  },
  "signed by another key": ({ question }) => {
    question.holder = "mismatch";
  },
  "bound to its offer's amount": ({ accepted, amount, question }, { pick }) => {
    const less = amount === 0n ? 0n : amount - 1n;
    accepted.amount = pick([less, less, amount, amount + 1n]).toString();
    question.holder = pick(["signed", "signed", "signed", "bearer"]);
  },
  "delegation revoked": ({ delegation }) => {
    delegation.isRevoked = true;
  },
  "delegation ends now": ({ delegation }) => {
    delegation.expiresAt = at(0);
  },
  "delegation ended": ({ delegation }) => {
    delegation.expiresAt = at(-1);
  },
  "token of another scheme": ({ accepted }, { pick }) => {
    accepted.scheme = pick(["svc:none", "svc:card-delegation", "svc:erc4337", "nvm:erc4337"]);
  },
  "no burn": ({ document: { sessionKey } }) => {
    sessionKey.permissions = sessionKey.permissions.filter((name) => name !== "burn");
  },
  "no order": ({ document: { sessionKey }, token }) => {
    sessionKey.permissions = sessionKey.permissions.filter((name) => name !== "order");
    token.canOrder = false;
  },
  "no order in its row": ({ token }) => {
    token.canOrder = false;
  },
  "redemptions used up": ({ token }, { pick }) => {
    token.redemptionsLeft = pick([0n, -1n]);
  },
  "last redemption": ({ token }) => {
    token.redemptionsLeft = 1n;
  },
};

const ofCaller: Record<string, Change> = {
  "caller pays": ({ question: { facts } }) => {
    facts.caller = { ...facts.caller, account: PAYER };
  },
  "caller is a stranger": ({ question: { facts } }) => {
    facts.caller = { ...facts.caller, account: STRANGER };
  },
  "caller operates": ({ question: { facts } }, { pick }) => {
    facts.caller = { account: pick([STRANGER, OWNER]), isUsable: true, isOperator: true };
  },
  "caller operates nothing": ({ question: { facts } }) => {
    facts.caller = { ...facts.caller, isOperator: false };
  },
  "caller redeems": ({ question: { facts }, plan }) => {
    facts.caller = { ...facts.caller, account: STRANGER };
    plan.callerIsRedeemer = plan.redemptionType === 2;
  },
  "caller redeems nothing": ({ plan }) => {
    plan.callerIsRedeemer = false;
  },
};

const ofPlan: Record<string, Change> = {
  "plan unknown": ({ question: { facts } }) => {
    facts.plan = null;
    facts.balance = null;
  },
  "plan of another": ({ plan }) => {
    plan.owner = STRANGER;
  },
  "redeemed by operators": ({ plan }) => {
    plan.redemptionType = 0;
    plan.callerIsRedeemer = false;
  },
  "redeemed by the owner": ({ plan }) => {
    plan.redemptionType = 1;
    plan.callerIsRedeemer = false;
  },
  "redeemed by a role": ({ plan }, { chance }) => {
    plan.redemptionType = 2;
    plan.callerIsRedeemer = chance(50);
  },
  "redeemed by subscribers": ({ plan }) => {
    plan.redemptionType = 4;
    plan.callerIsRedeemer = false;
  },
  trial: ({ plan }) => {
    plan.isTrial = true;
  },
  archived: ({ plan }) => {
    plan.isArchived = true;
  },
  "no trial": ({ plan }) => {
    plan.isTrial = false;
  },
  free: ({ plan }, { pick }) => {
    plan.newest.price = { ...pick(FREE) };
  },
  "no bearer tokens": ({ plan, question }, { pick }) => {
    plan.holderRequired = true;
    question.holder = pick(["bearer", "bearer", "signed"]);
  },
  proof: ({ plan }) => {
    plan.proofRequired = !plan.proofRequired;
  },
  "fixed terms now": ({ plan }) => {
    plan.isFixed = true;
    plan.maxAmount = plan.minAmount;
  },
  "a higher minimum": ({ plan }) => {
    plan.minAmount += 1n;
    plan.maxAmount += 1n;
  },
  "no rail": ({ question }) => {
    question.rails = NO_RAILS;
  },
};

/** Changes the first amount of the price; a free plan's stay free. */
const priceBy =
  (step: bigint): Change =>
  ({ plan: { newest } }) => {
    const [first = 0n, ...others] = newest.price.amounts;
    if (first > 0n) newest.price.amounts = [first + step, ...others];
  };

const ofOrders: Record<string, Change> = {
  "newest more expensive": priceBy(1n),
  "newest cheaper": priceBy(-1n),
  "newest in another token": ({ plan: { newest } }) => {
    const { price } = newest;
    if (!price.isCrypto) price.currency = price.currency === "EUR" ? "USD" : "EUR";
    else price.tokenAddress = price.tokenAddress === OTHER_COIN ? STABLE_TOKEN : OTHER_COIN;
  },
  "newest grants less": ({ plan: { newest } }) => {
    newest.granted -= 1n;
  },
  "newest grants more": ({ plan: { newest } }) => {
    newest.granted += 1n;
  },
  "newest takes more per request": ({ plan: { newest } }) => {
    newest.perRequest += 1n;
  },
  "newest lasts less": ({ plan: { newest } }) => {
    newest.durationSecs = newest.durationSecs === 0n ? 10n ** 9n : newest.durationSecs - 1n;
  },
  "newest lasts longer": ({ plan: { newest } }) => {
    if (newest.durationSecs > 0n) newest.durationSecs += 1n;
  },
  "newest never ends": ({ plan: { newest } }) => {
    newest.durationSecs = 0n;
  },
  "another version": ({ plan: { newest } }) => {
    newest.version += 1;
  },
  "terms not signed": ({ document: { sessionKey } }) => {
    const { order: _, ...limits } = sessionKey.limits;
    sessionKey.limits = limits;
  },
  "an order is just enough": ({ plan, amount, question: { facts } }) => {
    grant(
      { plan, document: null },
      amount - (facts.balance?.isLive ? facts.balance.available : 0n),
    );
  },
  "an order is one short": ({ plan, document, amount, question: { facts } }) => {
    facts.balance = null;
    grant({ plan, document }, amount - 1n);
  },
  "a top-up is under way": ({ question: { facts } }) => {
    facts.openTopUp = "charging";
  },
  "a top-up waits for its holder": ({ question: { facts } }) => {
    facts.openTopUp = "requires_action";
  },
  "order limit short by one": ({ token, plan }) => {
    token.orderLeft = priceFigures(plan.newest.price).total - 1n;
  },
  "order limit exact": ({ token, plan }) => {
    token.orderLeft = priceFigures(plan.newest.price).total;
  },
  "budget short by one": ({ delegation, plan }) => {
    delegation.budgetLeft = priceFigures(plan.newest.price).minorUnits - 1n;
  },
  "budget exact": ({ delegation, plan }) => {
    delegation.budgetLeft = priceFigures(plan.newest.price).minorUnits;
  },
  "no transactions left": ({ delegation }) => {
    delegation.transactionsLeft = 0n;
  },
  "last transaction": ({ delegation }) => {
    delegation.transactionsLeft = 1n;
  },
  "delegation's order limit short": ({ delegation, plan }) => {
    delegation.orderLimit = priceFigures(plan.newest.price).total - 1n;
  },
  "delegation without order limit": ({ delegation }) => {
    delegation.orderLimit = null;
  },
  "delegation in another currency": ({ delegation }) => {
    delegation.currency = "eur";
  },
};

/** What an order grants from now on, signed too unless the token was minted before. */
function grant(
  { plan, document }: Pick<Draft, "plan"> & { document: Draft["document"] | null },
  to: bigint,
) {
  if (to < 1n) return;
  plan.newest.granted = to;
  const signed = document?.sessionKey.limits.order;
  if (signed) signed.credits = to.toString();
}

/** What can be otherwise about token, caller, plan and the order of a top-up. */
export const PERMISSION_CHANGES = { ...ofToken, ...ofCaller, ...ofPlan, ...ofOrders };
