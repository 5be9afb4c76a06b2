import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import { DAY_SECS, MINUTE_SECS, YEAR_SECS } from "@/lib/text/durations.ts";
import {
  type LimitDraft,
  type Limits,
  readLimits,
  readTokenLimits,
  type TokenPrice,
  usualLimit,
} from "../delegations/read-limits.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import type { Reading } from "../forms/create-resolver.ts";
import type { CardActions } from "../payment-methods/add-card.tsx";
import { firstCard, NEW_CARD, type SavedCard } from "../payment-methods/card-text.ts";
import { typedAmount } from "../ui/values/money-text.ts";
import type { CreateDelegation, GrantActions } from "../wallet/sign-grant.tsx";

/** Stand in for a delegation's id: one with the limits of the form, or one the service creates. */
export const NEW = "new";
export const AUTOMATIC = "automatic";
export const ANY_AGENT = "any";
/** Stands in for a token's duration. */
export const WITH_DELEGATION = "0";

const MAX_LIFE_SECS = 10 * YEAR_SECS;
const CALLS = /^[1-9]\d{0,8}$/;

const isLife = (text: string): boolean =>
  /^\d{2,9}$/.test(text) && Number(text) >= MINUTE_SECS && Number(text) <= MAX_LIFE_SECS;

type MintRequest = InputOf<"getX402AccessToken">;
export type Minted = OutputOf<"getX402AccessToken">;

export type MintInput = {
  request: MintRequest;
  lifeSecs: number;
  limits?: Limits;
};

/** What a token of a plan can be minted for, and how. */
export type MintTerms = {
  planId: string;
  planName: string;
  isFree: boolean;
  isCard: boolean;
  /** What one order costs; null for a token without a par value. */
  costCents: string | null;
  /** What one order costs in such a token. */
  token: TokenPrice | null;
  currency: string;
  agents: { agentId: string; name: string; url: string; method: string }[];
  firstAgent?: string | undefined;
  delegations: {
    delegationId: string;
    name: string;
    leftCents: string;
    currency: string;
    expiresAt: string;
  }[];
  firstDelegation?: string | undefined;
  /** What an earlier token had, as typed in the address. */
  firstCalls?: string | undefined;
  firstLifeSecs?: string | undefined;
  cards: SavedCard[];
  isOwnWallet: boolean;
  isSandbox: boolean;
  now: string;
};

export type MintActions = CardActions &
  Required<GrantActions> & {
    mintToken: (request: MintRequest, lifeSecs: number) => Promise<ActionAnswer<Minted>>;
    prepareGrant: CreateDelegation;
  };

export type MintValues = LimitDraft & {
  agentId: string;
  /** A delegation's id, `NEW` or `AUTOMATIC`. */
  delegationId: string;
  /** A card's id, or `NEW_CARD`. */
  cardId: string;
  lifeSecs: string;
  redemptionLimit: string;
};

export const minCentsOf = ({ costCents }: Pick<MintTerms, "costCents">): bigint =>
  BigInt(costCents ?? "0");

/** A wallet signs a new delegation; a free plan has nothing to spend. */
export const mustSign = ({ isOwnWallet, isCard, isFree }: MintTerms): boolean =>
  isOwnWallet && !isCard && !isFree;

/** A new delegation of a card plan needs a card. */
export const needsCard = (
  { delegationId: chosen }: MintValues,
  { isCard, delegations }: MintTerms,
): boolean =>
  isCard &&
  chosen !== AUTOMATIC &&
  !delegations.some(({ delegationId }) => delegationId === chosen);

/** The form as it opens: what was linked to, else the usual choice. */
export function firstMintValues(terms: MintTerms): MintValues {
  const { agents, delegations, firstAgent, firstDelegation, cards, now } = terms;
  const { firstCalls = "", firstLifeSecs = "", token } = terms;
  const agent = agents.find(({ agentId }) => agentId === firstAgent) ?? agents[0];
  const delegation =
    delegations.find(({ delegationId }) => delegationId === firstDelegation) ?? delegations[0];
  return {
    agentId: firstAgent === ANY_AGENT ? ANY_AGENT : (agent?.agentId ?? ANY_AGENT),
    delegationId: delegation?.delegationId ?? (terms.isFree ? AUTOMATIC : NEW),
    cardId: firstCard(cards, now)?.id ?? NEW_CARD,
    limit: token
      ? typedAmount(token.total, token.decimals)
      : usualLimit(minCentsOf(terms), terms.currency),
    durationSecs: 7 * DAY_SECS,
    maxTransactions: "",
    lifeSecs: isLife(firstLifeSecs) ? firstLifeSecs : WITH_DELEGATION,
    redemptionLimit: CALLS.test(firstCalls) ? firstCalls : "",
  };
}

/** When the token expires, and whether that is before its delegation; in milliseconds. */
export function tokenEnd(values: MintValues, { delegations, now }: MintTerms) {
  const start = Date.parse(now);
  const known = delegations.find(({ delegationId }) => delegationId === values.delegationId);
  const secs = values.delegationId === AUTOMATIC ? DAY_SECS : values.durationSecs;
  const delegationEnd = known ? Date.parse(known.expiresAt) : start + secs * 1_000;
  const own = start + Number(values.lifeSecs) * 1_000;
  const isEarlier = values.lifeSecs !== WITH_DELEGATION && own < delegationEnd;
  return { at: isEarlier ? own : delegationEnd, isEarlier };
}

/** The token to mint, or what is wrong with the fields. */
export function readMint(values: MintValues, terms: MintTerms): Reading<MintValues, MintInput> {
  const calls = values.redemptionLimit.trim();
  const isCount = calls === "" || CALLS.test(calls);
  const isNew = values.delegationId === NEW;
  const { token } = terms;
  const reading = token
    ? readTokenLimits(values, token)
    : readLimits(values, terms.currency, minCentsOf(terms));
  if (!isCount || (isNew && reading.faults)) {
    const redemptionLimit = isCount ? undefined : "Enter a whole number, or leave it empty.";
    return { faults: { ...(isNew && reading.faults), redemptionLimit } };
  }
  const { planId, agents, delegations, cards, currency } = terms;
  const agent = agents.find(({ agentId }) => agentId === values.agentId);
  const known = delegations.find(({ delegationId }) => delegationId === values.delegationId);
  const card = cards.find(({ id }) => id === values.cardId);
  const limits = isNew && "limits" in reading ? reading.limits : undefined;
  const { orderLimit = token?.total.toString(), ...counted } = limits ?? {};
  const config = limits && {
    ...counted,
    currency,
    ...(card && { providerPaymentMethodId: card.id }),
  };
  return {
    input: {
      request: {
        accepted: { planId, ...(agent && { extra: { agentId: agent.agentId } }) },
        ...(known && { delegationConfig: { delegationId: known.delegationId } }),
        ...(config && { delegationConfig: config }),
        ...(orderLimit && !known && { orderLimit }),
        ...(calls && { redemptionLimit: Number(calls) }),
      },
      lifeSecs: values.lifeSecs === WITH_DELEGATION ? MAX_LIFE_SECS : Number(values.lifeSecs),
      ...(limits && { limits }),
    },
  };
}

/** The delegation a wallet signs before its token is minted. */
export const grantInput = (
  limits: Limits,
  { planId, planName }: MintTerms,
): InputOf<"createDelegation"> => ({
  provider: "erc4337",
  planIds: [planId],
  name: `Tokens of ${planName}`.slice(0, 80),
  ...limits,
});

/** The same token, under a delegation that has been created for it. */
export const underDelegation = (request: MintRequest, delegationId: string): MintRequest => ({
  ...request,
  delegationConfig: { delegationId },
});
