import type { GrantToSign } from "@turnpike/payments/protocol";
import type { SavedCard } from "../checkout/card-order.tsx";
import { LENGTHS } from "../delegations/limit-fields.tsx";
import type { LimitDraft } from "../delegations/read-limits.ts";
import type { CardActions } from "../payment-methods/add-card.tsx";
import { moneyText } from "../ui/values/money-text.ts";

const CENTS = 2;
/** What stands in place of a delegation's or a card's id. */
export const NEW = "new";
export const AUTOMATIC = "automatic";

export type Failure = { code: string; message: string; hint: string };
type Answer<T> = { ok: true; data: T } | ({ ok: false } & Failure);
export type Minted = {
  accessToken: string;
  tokenId: string;
  delegationId: string;
  expiresAt: string;
};
type Limits = { spendingLimitCents: string; durationSecs: number; maxTransactions?: number };
type Mint = {
  planId: string;
  agentId?: string;
  delegationId?: string;
  limits?: Limits & { currency: string; providerPaymentMethodId?: string };
  providerPaymentMethodId?: string;
  lifeSecs?: number;
  redemptionLimit?: number;
};

export type MintFormProps = {
  planId: string;
  planName: string;
  isFree: boolean;
  isCard: boolean;
  costCents: string | null;
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
  cards: SavedCard[];
  hasTestCards: boolean;
  isOwnWallet: boolean;
  isSandbox: boolean;
  now: string;
  actions: CardActions & {
    mintToken: (input: Mint) => Promise<Answer<Minted>>;
    prepareGrant: (
      input: Limits & { provider: "erc4337"; planIds: string[]; name: string },
    ) => Promise<Answer<{ delegationId: string; grant?: GrantToSign | undefined }>>;
    submitGrantSignature: (input: {
      delegationId: string;
      signature: string;
    }) => Promise<Answer<unknown>>;
  };
};

/** `New: 20.00 USD for 7 days`. */
function newText({ limit, durationSecs }: LimitDraft, code: string): string {
  const length = LENGTHS.find(({ value }) => value === String(durationSecs))?.label ?? "a time";
  return `New: ${limit || "…"} ${code} for ${length}`;
}

/** What is wrong with the most calls as they were typed. */
export function countFault(calls: string): string | undefined {
  const typed = calls.trim();
  const isCount = typed === "" || /^[1-9]\d{0,8}$/.test(typed);
  return isCount ? undefined : "Enter a whole number, or leave it empty.";
}

/** The agents to choose from; a single one is recommended. */
export const agentOptions = (agents: MintFormProps["agents"]) =>
  agents.map(({ agentId, name }) => ({
    value: agentId,
    label: name,
    ...(agents.length === 1 && { detail: "Recommended: it is good for nothing else." }),
  }));

/** The delegations to choose from: those there are, a new one, and one that is made without asking. */
export function delegationOptions(
  { delegations, isFree, isSandbox, currency }: MintFormProps,
  draft: LimitDraft,
  mustSign: boolean,
) {
  const code = currency.toUpperCase();
  const known = delegations.map(({ delegationId, name, leftCents, currency }) => ({
    value: delegationId,
    label: `Use ‘${name}’`,
    aside: `${moneyText(leftCents, CENTS, currency)} left`,
  }));
  const fresh = {
    value: NEW,
    label: newText(draft, code),
    detail: "What agents may spend when credits run out.",
  };
  const paid = isSandbox
    ? `Up to 10.00 ${code} for one day.`
    : "One more order of this plan, within one day.";
  const automatic = {
    value: AUTOMATIC,
    label: "Automatic",
    detail: isFree ? "Nothing to spend: it can only use credits." : paid,
  };
  return [...known, ...(isFree ? [] : [fresh]), ...(mustSign ? [] : [automatic])];
}
