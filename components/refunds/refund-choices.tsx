import type { AccessLimit, Refundable } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { RadioGroup, type RadioOption } from "../ui/fields/radio-group.tsx";
import { currencyMoney, exactAmount, typedDecimals } from "../ui/values/currency-money.ts";
import { readMoney } from "../ui/values/money-reading.ts";
import { groupDigits } from "../ui/values/money-text.ts";

/** What an order can be refunded, and whether it bought credits or time. */
export type RefundableOrder = Refundable & { accessLimit: AccessLimit };

export type Choice = "unused" | "whole" | "amount";

type ChoicesProps = {
  found: RefundableOrder;
  choice: Choice;
  onChoice: (choice: Choice) => void;
};

export function Choices({ found, choice, onChoice }: ChoicesProps) {
  const { credits, currency, refunded } = found;
  const items = {
    ...(found.accessLimit === "credits" && {
      "Unused credits": groupDigits(credits.available),
      "Reserved by calls in progress": groupDigits(credits.held),
      "Used credits": groupDigits(credits.used),
    }),
    ...(refunded !== "0" && { "Already refunded": currencyMoney(refunded, currency) }),
  };
  return (
    <>
      {Object.keys(items).length > 0 && <DefinitionList look="split" items={items} />}
      <RadioGroup
        label="What to refund"
        look="cards"
        options={optionsOf(found)}
        value={choice}
        onValueChange={(value) => onChoice(value as Choice)}
      />
    </>
  );
}

/** The choices of a refund: a plan of time has no credits to count. */
export function optionsOf(found: RefundableOrder): RadioOption[] {
  const { credits, currency, left, unused } = found;
  const none = left === "0" ? "Nothing is left to refund" : undefined;
  const words =
    found.accessLimit === "time"
      ? {
          unused: "Remaining time",
          whole: "You won’t be paid for the time that has passed",
          amount: "Time is removed in proportion",
        }
      : {
          unused: `${plural(BigInt(credits.available), "credit")} that can still be used`,
          whole: `You won’t be paid for ${plural(BigInt(credits.used), "used credit")}`,
          amount: "Credits are removed in proportion",
        };
  const options: RadioOption[] = [
    {
      value: "unused",
      label: "Unused part",
      aside: currencyMoney(unused, currency),
      detail: words.unused,
      ...(unused === "0" && { reason: none ?? "Everything was used" }),
    },
    {
      value: "whole",
      label: found.refunded === "0" ? "Whole order" : "Everything that is left",
      aside: currencyMoney(left, currency),
      detail: words.whole,
      ...(none && { reason: none }),
    },
    {
      value: "amount",
      label: "Another amount",
      aside: `${exactAmount(leastOf(found), currency)} to ${currencyMoney(left, currency)}`,
      detail: words.amount,
      ...(none && { reason: none }),
    },
  ];
  // While nothing was used, the unused part is the whole.
  return unused === left && !none ? options.filter(({ value }) => value !== "whole") : options;
}

const leastOf = ({ step, least = "0" }: Pick<Refundable, "step" | "least">): string =>
  BigInt(least) > BigInt(step) ? least : step;

/** The amount that is refunded, or what is wrong with the typed one. */
export function amountOf(
  { unused, left, step, least = "0", currency }: Refundable,
  choice: Choice,
  typed: string,
): { amount?: string; fault?: string } {
  if (choice !== "amount") {
    const amount = choice === "unused" ? unused : left;
    return amount === "0" ? {} : { amount };
  }
  const read = readMoney(typed, typedDecimals(currency));
  if (!read.isAmount) return { fault: read.fault };
  if (read.amount > BigInt(left)) return { fault: `At most ${currencyMoney(left, currency)}.` };
  if (read.amount === 0n) return { fault: "Enter more than zero." };
  if ([read.amount, BigInt(left) - read.amount].every((part) => part % BigInt(step) !== 0n)) {
    return { fault: `Enter a multiple of ${exactAmount(step, currency)}.` };
  }
  if (read.amount < BigInt(least) && read.amount !== BigInt(left)) {
    return { fault: `Enter at least ${exactAmount(least, currency)}, or everything that is left.` };
  }
  return { amount: read.amount.toString() };
}
