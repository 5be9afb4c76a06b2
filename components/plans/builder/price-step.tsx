import { useRef } from "react";
import { Controller, useFormContext } from "react-hook-form";
import { readAddress } from "../../ui/fields/address-check.ts";
import { AddressInput } from "../../ui/fields/address-input.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { SegmentedControl } from "../../ui/fields/segmented-control.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import { findToken, type Market } from "../market.ts";
import { RAIL_WORDS, RAILS, type Rail } from "../rails.ts";
import { amountsOnRail, type KeptAmounts, type PlanDraft, railOf } from "./plan-draft.ts";
import { ReceiverFields } from "./receiver-fields.tsx";

type PriceStepProps = {
  draft: PlanDraft;
  market: Market;
  /** The rails to choose from. A new version keeps the scheme of its plan. */
  rails?: readonly Rail[];
};

export function PriceStep({ draft, market, rails = RAILS }: PriceStepProps) {
  const { control, setValue } = useFormContext<PlanDraft>();
  const kept = useRef<KeptAmounts>({});
  const rail = railOf(draft);
  const changeRail = (to: Rail) => {
    const next = amountsOnRail(draft, to, kept.current);
    kept.current = next.kept;
    for (const [index, amount] of next.amounts.entries())
      setValue(`receivers.${index}.amount`, amount);
  };
  const offered = rails.filter(
    (one) => !market.withoutRails?.includes(one) && (one !== "stablecoin" || hasStablecoin(market)),
  );
  return (
    <>
      {draft.kind !== "trial" && offered.length > 1 && (
        <div className="grid gap-1.5">
          <span aria-hidden="true" className="text-label">
            Paid with
          </span>
          <Controller
            name="rail"
            control={control}
            render={({ field }) => (
              <SegmentedControl
                label="Paid with"
                isWide
                className="max-sm:grid max-sm:grid-cols-2 max-sm:[&>label:last-of-type:nth-of-type(odd)]:col-span-2"
                options={offered.map((value) => ({ value, label: RAIL_WORDS[value] }))}
                value={field.value}
                onValueChange={(value) => {
                  changeRail(value as Rail);
                  field.onChange(value);
                }}
              />
            )}
          />
        </div>
      )}
      {rail === "free" && (
        <p>
          {draft.kind === "trial"
            ? "A free trial costs nothing. Each account can order it once."
            : "Orders are free and can be repeated. To allow one per account, choose Free trial."}
        </p>
      )}
      {rail === "token" && <TokenFields draft={draft} market={market} />}
      {rail !== "free" && <ReceiverFields draft={draft} market={market} />}
      {rail === "card" && market.cardFeeBps && (
        <p className="text-ink-2 text-note">
          The platform keeps {market.cardFeeBps / 100}% of each card sale, also when you refund it.
        </p>
      )}
      <SchemeVerdict rail={rail} market={market} />
    </>
  );
}

const hasStablecoin = ({ tokens }: Market) => tokens.some(({ isStable }) => isStable);

function TokenFields({ draft, market }: Pick<PriceStepProps, "draft" | "market">) {
  const { register, formState } = useFormContext<PlanDraft>();
  const { errors } = formState;
  const address = readAddress(draft.tokenAddress);
  const known = address.isAddress ? findToken(market, address.address) : undefined;
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_120px]">
      <Field
        label="Token contract"
        error={errors.tokenAddress?.message}
        good={address.isAddress ? address.good : undefined}
      >
        <AddressInput {...register("tokenAddress")} />
      </Field>
      <Field
        label="Decimals"
        error={errors.tokenDecimals?.message}
        hint={known ? `${known.symbol} has ${known.decimals}.` : undefined}
      >
        <TextInput
          inputMode="numeric"
          readOnly={known !== undefined}
          className="tabular-nums"
          {...register("tokenDecimals")}
        />
      </Field>
    </div>
  );
}

const PAYERS: Record<Rail, (market: Market) => string> = {
  card: () => "Subscribers pay with a saved card. No wallet needed.",
  stablecoin: ({ tokens }) =>
    `Subscribers pay ${tokens.find(({ isStable }) => isStable)?.symbol ?? "it"} from their account. No card needed.`,
  token: () =>
    "Subscribers pay with the token from their account. A delegation for it is denominated in the token.",
  native: ({ nativeSymbol }) =>
    `Subscribers pay ${nativeSymbol} from their account. No card needed.`,
  free: () => "Orders are free. Calls use credits, and nothing is charged.",
};

function SchemeVerdict({ rail, market }: { rail: Rail; market: Market }) {
  const isCard = rail === "card";
  return (
    <div
      data-testid="scheme-verdict"
      className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-2.5 gap-y-1 rounded-control border border-line bg-sunken p-3"
    >
      <Icon name={isCard ? "card" : rail === "free" ? "info" : "chain"} className="mt-0.5 size-4" />
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="font-semibold">
          {isCard
            ? "Settles by card"
            : rail === "free"
              ? "No payment to settle"
              : `Settles on ${market.chainName}`}
        </span>
        <Tag isMono className="bg-surface">
          {isCard ? "svc:card-delegation" : "svc:erc4337"}
        </Tag>
        <Tag isMono className="bg-surface">
          {isCard ? "card-processor" : market.network}
        </Tag>
      </p>
      <p className="col-start-2 text-ink-2 text-note">{PAYERS[rail](market)}</p>
    </div>
  );
}
