import type { Balance } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { Card } from "../ui/card.tsx";
import { currencyMoney, exactAmount } from "../ui/values/currency-money.ts";
import { Tag } from "../ui/values/tag.tsx";
import { isStablecoin, partsOf, totalOf } from "./balance-text.ts";

type CurrencyCardProps = {
  balance: Balance["currencies"][number];
  isPayable: boolean;
  action: ReactNode;
};

/** One currency: what can be used now, and the parts of the whole with their reasons. */
export function CurrencyCard({ balance, isPayable, action }: CurrencyCardProps) {
  const { currency, available } = balance;
  const code = currency.toUpperCase();
  return (
    <Card data-currency={currency}>
      <div className="flex items-start justify-between gap-3">
        <h2 className="flex items-center gap-2 text-h3">
          {code} <Tag>{isStablecoin(currency) ? "On chain" : "Card sales"}</Tag>
        </h2>
        {action}
      </div>
      <p className="mt-2 mb-3">
        <span className="text-figure tabular-nums">{exactAmount(available, currency)}</span>{" "}
        <span className="text-ink-2">{code} available</span>
      </p>
      <dl className="grid text-note">
        {partsOf(balance, isPayable).map(({ key, label, why, amount }) => (
          <div
            key={key}
            className="grid grid-cols-[6rem_minmax(0,1fr)_auto] items-baseline gap-x-3 border-line border-t py-1.75 max-sm:grid-cols-[minmax(0,1fr)_auto]"
          >
            <dt className="font-medium">{label}</dt>
            <dd className="text-ink-2 max-sm:order-last max-sm:col-span-2">{why}</dd>
            <dd className="text-end tabular-nums">{exactAmount(amount, currency)}</dd>
          </div>
        ))}
        <div className="flex justify-between gap-3 border-ink border-t py-1.75 font-medium">
          <dt>Total</dt>
          <dd className="tabular-nums">{currencyMoney(totalOf(balance), currency)}</dd>
        </div>
      </dl>
    </Card>
  );
}
