import type { Balance } from "@turnpike/payments/protocol";

/** Stablecoins have four letters, currencies three. */
export const isStablecoin = (currency: string): boolean => currency.length > 3;

type CurrencyBalance = Balance["currencies"][number];
export type BalancePart = { key: string; label: string; why: string; amount: string };

/** The parts of a balance, each with why it is there. They add up to the total. */
export function partsOf(balance: CurrencyBalance, isPayable: boolean): BalancePart[] {
  const { currency, available, pending, reserved, owed, isUnconfirmed } = balance;
  const isNegative = owed.startsWith("-");
  if (isStablecoin(currency)) {
    return [
      {
        key: "available",
        label: "Available",
        why: "Withdraw, spend or refund now",
        amount: available,
      },
      {
        key: "reserved",
        label: "Reserved",
        why: "Withdrawals and refunds in progress",
        amount: reserved,
      },
    ];
  }
  const whyOwed = isNegative
    ? "Refunds, chargebacks and their fees; your next sales cover these first"
    : isPayable
      ? "Card payments clear a few days after the sale"
      : "Set up payouts to make it available";
  const whyAvailable = isUnconfirmed
    ? "The card processor did not respond; the payout may be smaller"
    : "Pay out now";
  return [
    { key: "available", label: "Available", why: whyAvailable, amount: available },
    {
      key: "pending",
      label: "Pending",
      why: "On its way to your bank; statements show it as paid out",
      amount: pending,
    },
    { key: "reserved", label: "Reserved", why: "For refunds in progress", amount: reserved },
    { key: "owed", label: "Owed", why: whyOwed, amount: owed },
  ];
}

export const totalOf = ({ available, pending, reserved, owed }: CurrencyBalance): string =>
  [available, pending, reserved, owed].reduce((sum, part) => sum + BigInt(part), 0n).toString();

/** `2.5%`. */
export const percentText = (bps: number): string => `${bps / 100}%`;

const WORDS: Record<string, string> = {
  "individual.first_name": "Your name",
  "individual.verification.document": "An identity document",
  external_account: "A bank account",
  "tos_acceptance.date": "The processor’s terms",
};

/** A requirement of the processor in words; unknown ones as it names them. */
export const requirementText = (name: string): string =>
  WORDS[name] ?? name.replaceAll(/[._]/g, " ");
