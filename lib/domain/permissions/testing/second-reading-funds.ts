import {
  type Case,
  delegation,
  isOwnHold,
  permissionOf,
  type Rule,
  refuse,
  reject,
  token,
} from "./second-case.ts";
import { BUDGETS } from "./second-reading-budgets.ts";

const signedTerms = ({ document }: Case) => document.sessionKey.limits.order;
/** Less time than was signed; 0 seconds never end. */
const isLess = (mine: bigint, signed: bigint) => mine !== 0n && (signed === 0n || mine < signed);

/** Verify and settle from the amount on, in the order of the documents; the last rule always applies. */
export const FUNDS: readonly Rule[] = [
  {
    section: "6.6",
    says: "Amount outside the plan's range, or above the hold: 422 invalid_amount",
    applies: ({ amount, standing }) =>
      amount === null || (standing !== null && amount > standing.amount),
    answer: reject("invalid_amount"),
  },
  {
    section: "6, Sender-constrained tokens",
    says: "A request costs at most what the offer says that a bound token answers, unless it is reserved",
    applies: ({ standing, amount, question: { holder, inspected } }) => {
      const signed = inspected.isSound ? inspected.token.accepted?.amount : undefined;
      const isAbove = signed !== undefined && (amount ?? 0n) > BigInt(String(signed));
      return standing === null && holder !== "bearer" && isAbove;
    },
    answer: refuse("amount_not_signed"),
  },
  {
    section: "9",
    says: "verify with reserve: the same hold, while it stands, else 409; released, the id may reserve again",
    applies: (of) => {
      const { hold, settlement } = of.question.facts;
      const isReleased = hold?.state === "released" && isOwnHold(of);
      const isSame = of.standing?.amount === of.amount && of.standing?.isSameCall === true;
      return (
        of.intent === "reserve" &&
        (settlement !== null || (hold !== null && !isReleased && !isSame))
      );
    },
    answer: reject("idempotency_conflict"),
  },
  {
    section: "9",
    says: "the token is part of a settle's body: while another token's hold stands, 409",
    applies: (of) =>
      of.intent === "settle" && of.question.facts.hold?.state === "held" && !isOwnHold(of),
    answer: reject("idempotency_conflict"),
  },
  {
    section: "6.6, 7",
    says: "With a hold the checks end here; settle posts the request's hold",
    applies: ({ intent, standing }) => intent === "settle" && standing !== null,
    answer: (of) => ({ kind: "settle", permission: permissionOf(of), fromHold: true }),
  },
  {
    section: "6.6, 9",
    says: "With a hold the checks end here; the same hold, while it stands",
    applies: ({ intent, standing }) => intent === "reserve" && standing !== null,
    answer: (of) => ({
      kind: "allow",
      permission: permissionOf(of),
      needsOrder: false,
      reservedUntil: of.standing?.expiresAt ?? new Date(0),
      ...(of.standing?.isSameAttempt !== true && { isRepeat: true }),
    }),
  },
  {
    section: "6.6",
    says: "With a hold the checks end here",
    applies: ({ standing }) => standing !== null,
    answer: (of) => ({ kind: "allow", permission: permissionOf(of), needsOrder: false }),
  },
  {
    section: "6.7",
    says: "ONLY_SUBSCRIBER and no burn permission: invalid_token",
    applies: ({ plan, document: { sessionKey } }) =>
      plan.redemptionType === 4 && !sessionKey.permissions.includes("burn"),
    answer: refuse("no_burn_permission"),
  },
  {
    section: "6.8",
    says: "Redemptions used up: insufficient_balance",
    applies: (of) => (token(of)?.redemptionsLeft ?? 0n) < 1n,
    answer: refuse("redemption_limit"),
  },
  ...BUDGETS.map((rule) => ({
    ...rule,
    applies: (of: Case) => !of.isShort && rule.applies(of),
  })),
  {
    section: "6",
    says: "Verify takes nothing",
    applies: ({ intent, isShort }) => intent === "check" && !isShort,
    answer: (of) => ({ kind: "allow", permission: permissionOf(of), needsOrder: false }),
  },
  {
    section: "6",
    says: "With reserve the credits move from available to held",
    applies: ({ intent, isShort }) => intent === "reserve" && !isShort,
    answer: (of) => ({ kind: "reserve", permission: permissionOf(of) }),
  },
  {
    section: "7",
    says: "Without a hold settle takes the credits",
    applies: ({ isShort }) => !isShort,
    answer: (of) => ({ kind: "settle", permission: permissionOf(of), fromHold: false }),
  },
  {
    section: "6, Top-up; 8",
    says: "nor a trial: it can be ordered once",
    applies: ({ plan, question: { facts } }) => plan.isTrial && facts.balance !== null,
    answer: refuse("trial_used_up"),
  },
  {
    section: "6, Top-up",
    says: "the plan is no trial, and if it is free, was never ordered",
    applies: ({ plan, price, question: { facts } }) =>
      plan.isTrial || (price.total === 0n && facts.balance !== null),
    answer: refuse("no_credits"),
  },
  {
    section: "6, Top-up",
    says: "the plan is not archived",
    applies: ({ plan }) => plan.isArchived,
    answer: refuse("plan_archived"),
  },
  {
    section: "6, Top-up",
    says: "the token has order",
    applies: (of) =>
      !of.document.sessionKey.permissions.includes("order") || token(of)?.canOrder !== true,
    answer: refuse("order_not_allowed"),
  },
  {
    section: "6, Top-up",
    says: "A token without these terms orders nothing (terms_not_signed)",
    applies: (of) => signedTerms(of) === undefined,
    answer: refuse("terms_not_signed"),
  },
  {
    section: "6, Top-up",
    says: "An order that costs more, or in another unit, is refused (price_changed)",
    applies: (of) =>
      signedTerms(of)?.unit !== of.price.unit ||
      BigInt(signedTerms(of)?.price ?? "0") < of.price.total,
    answer: refuse("price_changed"),
  },
  {
    section: "6, Top-up",
    says: "of a bearer token also one after which a request may take more credits than at the version it signs",
    applies: ({ isTime, plan: { newest, signedPerRequest } }) =>
      !isTime && signedPerRequest !== null && signedPerRequest < newest.perRequest,
    answer: refuse("price_changed"),
  },
  {
    section: "6, Top-up",
    says: "for fewer credits or for less time is refused (fewer_credits)",
    applies: (of) =>
      of.plan.newest.granted < BigInt(signedTerms(of)?.credits ?? "0") ||
      isLess(of.plan.newest.durationSecs, BigInt(signedTerms(of)?.durationSecs ?? "0")),
    answer: refuse("fewer_credits"),
  },
  {
    section: "6, Top-up",
    says: "one order is enough",
    applies: ({ isTime, live, plan, amount }) =>
      !isTime && (live?.available ?? 0n) + plan.newest.granted < (amount ?? 0n),
    answer: refuse("order_too_small"),
  },
  {
    section: "6, Top-up",
    says: "One order is enough, also after it has repaid the balance's debt",
    applies: ({ isTime, live, plan, amount, question: { facts } }) =>
      !isTime &&
      (live?.available ?? 0n) + plan.newest.granted <
        (amount ?? 0n) + (facts.balance === null ? 0n : facts.balance.debt),
    answer: refuse("credits_owed"),
  },
  {
    section: "6, Top-up",
    says: "if the bank asks to have it confirmed, the request is refused with authentication_required",
    applies: ({ question: { facts } }) => facts.openTopUp === "requires_action",
    answer: refuse("authentication_required"),
  },
  {
    section: "6, Top-up; 8",
    says: "the token was minted to order anything",
    applies: ({ isOrdering, price, document }) =>
      isOrdering && price.total > 0n && document.sessionKey.limits.orderLimit === "0",
    answer: refuse("order_limit"),
  },
  {
    section: "6, Top-up",
    says: "the price is within the delegation's currency",
    applies: (of) =>
      of.isOrdering && of.price.currency !== null && of.price.currency !== delegation(of)?.currency,
    answer: refuse("currency_mismatch"),
  },
  {
    section: "6, Top-up; 8",
    says: "tokens without a par value count by orderLimit alone: within the delegation's, and none is 0",
    applies: (of) =>
      of.isOrdering &&
      of.price.currency === null &&
      of.price.total > (delegation(of)?.orderLimit ?? 0n),
    answer: refuse("order_limit"),
  },
  {
    section: "6, Top-up; 8",
    says: "within the delegation's spendingLimitCents, in minor units",
    applies: (of) => of.isOrdering && of.price.minorUnits > (delegation(of)?.budgetLeft ?? 0n),
    answer: refuse("spending_limit"),
  },
  {
    section: "6, Top-up",
    says: "within the delegation's maxTransactions",
    applies: (of) => of.isOrdering && (delegation(of)?.transactionsLeft ?? 1n) < 1n,
    answer: refuse("max_transactions"),
  },
  {
    section: "6, Top-up; 8",
    says: "within the token's orderLimit",
    applies: (of) => of.isOrdering && of.price.total > (token(of)?.orderLeft ?? 0n),
    answer: refuse("order_limit"),
  },
  ...BUDGETS,
  {
    section: "design 4",
    says: "Verify says valid when such an order would be allowed",
    applies: ({ intent }) => intent === "check",
    answer: (of) => ({ kind: "allow", permission: permissionOf(of), needsOrder: true }),
  },
  {
    section: "6, 7",
    says: "with insufficient credits and an order allowed, that order is placed then",
    applies: () => true,
    answer: (of) => ({ kind: "order", permission: permissionOf(of) }),
  },
];
