import type { TimelineStep } from "../ui/data/step-timeline.tsx";
import { Address } from "../ui/values/address.tsx";
import { amountText } from "../ui/values/money-text.ts";
import { type PlanPrice, priceText } from "./plan-price.ts";

/** What the way to a payment on chain depends on. */
export type CryptoFacts = {
  account: string;
  chain: string;
  isSandbox: boolean;
  /** The account is owned by the subscriber's own wallet, which has to sign what is spent. */
  isOwnWallet: boolean;
  price: PlanPrice;
  /** What the account holds, in the price's smallest unit; null while the chain does not answer. */
  funds: string | null;
  grant: string;
  /** An active delegation this order fits into. */
  delegation?: { delegationId: string; name: string; leftCents: string; currency: string };
};

/** What the account lacks to pay; zero while its balance is unknown, since the order checks it again. */
export function missingFunds({ price, funds }: Pick<CryptoFacts, "price" | "funds">): bigint {
  const missing = funds === null ? 0n : price.total - BigInt(funds);
  return missing > 0n ? missing : 0n;
}

/** Whether the wallet has to sign before the order can be paid. */
export const mustSign = ({
  isOwnWallet,
  price,
  delegation,
}: Pick<CryptoFacts, "isOwnWallet" | "price" | "delegation">): boolean =>
  isOwnWallet && !price.isFree && !delegation;

/** What the one button of the page does next. */
export function nextAction(facts: CryptoFacts): "get-funds" | "check-balance" | "sign" | "pay" {
  if (missingFunds(facts) > 0n) return facts.isSandbox ? "get-funds" : "check-balance";
  return mustSign(facts) ? "sign" : "pay";
}

/** The steps of an order that has not been paid: what is done, and what follows. */
export function stepsBefore(facts: CryptoFacts): TimelineStep[] {
  const { account, chain, isOwnWallet, price, grant } = facts;
  const first: TimelineStep = {
    key: "account",
    status: "ok",
    title: "Account ready",
    verdict: <Address value={account} name="account address" />,
  };
  const last: TimelineStep = {
    key: "confirmed",
    status: "idle",
    title: "Confirmed",
    verdict: `You receive ${grant.replace(/^A/, "a")}.`,
  };
  if (price.isFree) return [first, last];
  return [
    first,
    {
      key: "chain",
      status: "ok",
      title: chain,
      verdict: isOwnWallet
        ? "Your wallet only signs: no transaction, no gas."
        : "No wallet needed: Turnpike keeps your account’s key encrypted.",
    },
    fundsStep(facts),
    {
      key: "signed",
      status: "idle",
      title: "Signed",
      verdict: mustSign(facts)
        ? "Your wallet signs one permission. You review it first."
        : `One signature approves and pays exactly ${priceText(price)}.`,
    },
    last,
  ];
}

function fundsStep({ price, funds }: CryptoFacts): TimelineStep {
  if (funds === null) {
    return {
      key: "funds",
      status: "warn",
      title: "Balance unavailable",
      verdict: "The chain is not responding. The order checks your balance again.",
    };
  }
  const isShort = missingFunds({ price, funds }) > 0n;
  const text = (amount: bigint) => amountText(amount, price.decimals);
  return {
    key: "funds",
    status: isShort ? "running" : "ok",
    title: `${text(BigInt(funds))} ${price.currency} available`,
    verdict: isShort
      ? `You need ${priceText(price)}.`
      : `Enough for ${priceText(price)}. ${text(BigInt(funds) - price.total)} ${price.currency} will remain.`,
  };
}
