import type { AccessToken, PaymentOffer } from "@turnpike/payments/protocol";
import type { Rail } from "../../rails/rail.ts";
import type { Cause } from "../causes.ts";
import type { Decision, Permission, Question } from "../decide.ts";
import { type PriceFigures, priceFigures } from "./second-arithmetic.ts";

/** What the documents say about a question: a decision without its message, or the error that ends the request. */
export type Reading = Decision | { kind: "throw"; code: string };

type Plan = NonNullable<Question["facts"]["plan"]>;
type Balance = NonNullable<Question["facts"]["balance"]>;

/** A question in the words of the documents. What was not found is an empty row; a rule says so before it is read. */
export type Case = {
  question: Question;
  intent: Question["intent"];
  document: AccessToken["payload"];
  plan: Plan;
  /** The offer of the token's plan on the plan's scheme, the rail of that scheme, and the scheme the token answers. */
  offer: PaymentOffer | undefined;
  rail: Rail | undefined;
  signedScheme: string;
  verb: string | undefined;
  url: string | undefined;
  agentId: string | undefined;
  mayRedeem: boolean;
  isPayer: boolean;
  /** This token's reservation for this request, while it stands. */
  standing: Question["facts"]["hold"];
  /** Null when what is asked is outside the plan's range. */
  amount: bigint | null;
  isTime: boolean;
  live: Balance | null;
  isShort: boolean;
  /** Short, with no top-up under way: it takes an order. */
  isOrdering: boolean;
  price: PriceFigures;
};

export type Rule = {
  /** The section of `docs/protocol.md`, or the other document that says so. */
  section: string;
  says: string;
  applies: (of: Case) => boolean;
  answer: (of: Case) => Reading;
};

const NO_PLAN: Plan = {
  owner: "",
  accessLimit: "credits",
  isTrial: false,
  version: 0,
  isArchived: false,
  minAmount: 0n,
  maxAmount: 0n,
  isFixed: true,
  redemptionType: 4,
  proofRequired: false,
  holderRequired: false,
  newest: {
    version: 0,
    granted: 0n,
    durationSecs: 0n,
    perRequest: 0n,
    price: { amounts: [], tokenAddress: "", isCrypto: true },
  },
  signedPerRequest: null,
  callerIsRedeemer: false,
};
const NO_DOCUMENT: AccessToken["payload"] = {
  authorization: { from: "", planId: "" },
  sessionKey: { address: "", permissions: [], limits: { redemptionLimit: 0, orderLimit: "0" } },
};

export const refuse =
  (cause: Cause) =>
  ({ question: { facts, inspected } }: Case): Reading => {
    const isProven =
      inspected.isSound &&
      facts.token?.account === inspected.token.payload.authorization.from &&
      facts.token.planId === inspected.token.payload.authorization.planId &&
      facts.delegation?.sessionKeyAddress === inspected.signer;
    return { kind: "refuse", cause, payer: isProven ? (facts.token?.account ?? null) : null };
  };

export const reject =
  (code: "invalid_amount" | "idempotency_conflict" | "conflict") => (): Reading => ({
    kind: "reject",
    code,
    message: "",
  });

/** Whether the hold of this request was made for this token. */
export const isOwnHold = ({ question: { facts, inspected } }: Case): boolean =>
  inspected.isSound && facts.hold?.jti === inspected.jti;

/** Whether the request's own hold decides, and not whether its token is alive. */
export const isOfHold = (of: Case): boolean => {
  const isReserved = of.intent === "reserve" && of.question.facts.hold?.state !== "released";
  return of.standing !== null || (isReserved && isOwnHold(of));
};

export const token = ({ question }: Case) => question.facts.token;
export const delegation = ({ question }: Case) => question.facts.delegation;

/** Reads a question into the words of the documents. */
export function caseOf(question: Question): Case {
  const { facts, request, inspected, intent, rails } = question;
  const { caller, hold, balance } = facts;
  const document = inspected.isSound ? inspected.token.payload : NO_DOCUMENT;
  const plan = facts.plan ?? NO_PLAN;
  const { isCrypto } = plan.newest.price;
  const scheme = isCrypto === false ? "svc:card-delegation" : "svc:erc4337";
  const offer = request.requirement.accepts.find(
    ({ scheme: named, planId, extra }) =>
      (planId ?? extra?.planId) === document.authorization.planId && plainScheme(named) === scheme,
  );
  const live = balance?.isLive ? balance : null;
  const isTime = plan.accessLimit === "time";
  const isStanding = inspected.isSound && hold?.state === "held" && hold.jti === inspected.jti;
  const standing = isStanding ? hold : null;
  const isUnknown =
    intent === "check" && request.maxAmount === 0n && offer?.scheme.startsWith("nvm:");
  const asked = isUnknown ? undefined : request.maxAmount;
  const amount = amountOf(plan, asked, standing?.amount ?? null);
  const isShort = live === null || live.available < (isTime ? 1n : (amount ?? 0n));
  return {
    question,
    intent,
    document,
    plan,
    offer,
    signedScheme: plainScheme(inspected.isSound ? (inspected.token.accepted?.scheme ?? "") : ""),
    rail: rails.all.find((one) => one.scheme === scheme),
    verb: offer?.extra?.httpVerb,
    url: request.requirement.resource?.url,
    agentId: offer?.extra?.agentId || document.authorization.agentId || undefined,
    mayRedeem: mayRedeem(plan, caller),
    isPayer: caller.account === facts.token?.account,
    standing,
    amount,
    isTime,
    live,
    isShort,
    isOrdering: isShort && facts.openTopUp === null,
    price: priceFigures(plan.newest.price),
  };
}

const plainScheme = (scheme: string) => scheme.replace(/^nvm:/, "svc:");

/** Who may redeem (section 6): subscriber and owner plans the owner, 2 the plan's redeemers, 0 an operator. */
function mayRedeem(plan: Plan, caller: Question["facts"]["caller"]): boolean {
  const { redemptionType, owner, callerIsRedeemer } = plan;
  if (redemptionType === 4 || redemptionType === 1) return caller.account === owner;
  if (redemptionType === 2) return callerIsRedeemer;
  return redemptionType === 0 && caller.isOperator;
}

/**
 * Amount (section 6): a time plan takes 0; a fixed plan `minAmount`, or what is held, and what is asked is a cap; a
 * dynamic plan what is asked, `minAmount` when nothing is.
 */
function amountOf(plan: Plan, asked: bigint | undefined, held: bigint | null): bigint | null {
  const { accessLimit, isFixed, minAmount, maxAmount } = plan;
  if (accessLimit === "time") return 0n;
  if (isFixed) {
    const takes = held ?? minAmount;
    return asked !== undefined && asked < takes ? null : takes;
  }
  const amount = asked ?? minAmount;
  return minAmount <= amount && amount <= maxAmount ? amount : null;
}

/** A request the token pays for. Only read once every rule before has passed. */
export function permissionOf(of: Case): Permission {
  const { offer, rail, plan, document, question } = of;
  const { facts, inspected } = question;
  if (!rail || !offer) throw new Error("A permission needs an offer on a rail.");
  const { balance } = facts;
  return {
    payer: facts.token?.account ?? "",
    planId: document.authorization.planId,
    planVersion: plan.newest.version,
    termsVersion: plan.version,
    agentId: of.agentId ?? null,
    jti: inspected.isSound ? inspected.jti : "",
    delegationId: facts.delegation?.delegationId ?? "",
    amount: of.amount ?? 0n,
    rail,
    scheme: offer.scheme,
    network: offer.network ?? rail.network,
    balance: (of.live?.available ?? 0n) + (balance?.held ?? 0n),
    isPaid: of.price.total > 0n,
    proofRequired: plan.proofRequired,
  };
}

/** The same answer again. */
export const replay = ({ question: { facts } }: Case): Reading =>
  facts.settlement
    ? { kind: "replay", settlement: facts.settlement }
    : { kind: "throw", code: "internal" };
