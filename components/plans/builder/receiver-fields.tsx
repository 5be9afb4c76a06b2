import { useFieldArray, useFormContext } from "react-hook-form";
import { plural } from "@/lib/text/plural.ts";
import { readAddress } from "../../ui/fields/address-check.ts";
import { AddressInput } from "../../ui/fields/address-input.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { MoneyInput } from "../../ui/fields/money-input.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LiveButton } from "../../ui/live-button.tsx";
import type { Market } from "../market.ts";
import { amountWords } from "../plan-words.ts";
import { type DraftUnit, MAX_RECEIVERS, readAmount, unitOfDraft } from "../read-price.ts";
import { CARD_CURRENCIES } from "./card-currencies.ts";
import { type PlanDraft, railOf } from "./plan-draft.ts";

type ReceiverFieldsProps = { draft: PlanDraft; market: Market };

/** The amount and its receiver. On chain, an order can pay several receivers. */
export function ReceiverFields({ draft, market }: ReceiverFieldsProps) {
  const { control } = useFormContext<PlanDraft>();
  const { fields, append, remove } = useFieldArray({ control, name: "receivers" });
  const isCard = railOf(draft) === "card";
  const unit = unitOfDraft(draft, market);
  const shown = isCard ? fields.slice(0, 1) : fields;
  const hasSeveral = shown.length > 1;
  return (
    <>
      {shown.map(({ id }, index) => (
        <div
          key={id}
          className={hasSeveral ? "grid gap-3 border-line border-s-2 ps-3" : "grid gap-4"}
        >
          <AmountField
            draft={draft}
            market={market}
            index={index}
            unit={unit}
            number={hasSeveral ? index + 1 : undefined}
          />
          <div className="flex min-w-0 items-start gap-1">
            <AddressField
              draft={draft}
              market={market}
              index={index}
              unit={unit}
              number={hasSeveral ? index + 1 : undefined}
            />
            {hasSeveral && (
              <IconButton
                icon="close"
                label={`Remove receiver ${index + 1}`}
                className="mt-7 max-sm:mt-6.5"
                onClick={() => remove(index)}
              />
            )}
          </div>
        </div>
      ))}
      {hasSeveral && unit && <TotalLine draft={draft} unit={unit} />}
      {!isCard && shown.length < MAX_RECEIVERS && (
        <div className="flex min-h-6 items-center">
          <LiveButton
            className="link inline-flex min-h-6 items-center text-label max-sm:min-h-(--hit)"
            onClick={() =>
              append({ address: "", amount: "" }, { focusName: `receivers.${shown.length}.amount` })
            }
          >
            Add a receiver
          </LiveButton>
        </div>
      )}
    </>
  );
}

type PartProps = ReceiverFieldsProps & {
  index: number;
  unit: DraftUnit | null;
  /** Its position among several receivers. */
  number: number | undefined;
};

function AmountField({ draft, market, index, unit, number }: PartProps) {
  const { register, setValue, formState } = useFormContext<PlanDraft>();
  const error = formState.errors.receivers?.[index]?.amount;
  const rail = railOf(draft);
  const text = draft.receivers[index]?.amount ?? "";
  const reading = unit ? readAmount(text, unit) : null;
  const stablecoins = market.tokens.filter(({ isStable }) => isStable);
  const check = { shouldValidate: true, shouldDirty: true };
  const units =
    rail === "card"
      ? {
          units: Object.keys(CARD_CURRENCIES).map((code) => ({ value: code, label: code })),
          unitValue: draft.cardCurrency,
          onUnitChange: (code: string) => setValue("cardCurrency", code, check),
        }
      : rail === "stablecoin" && stablecoins.length > 1
        ? {
            units: stablecoins.map(({ symbol }) => ({ value: symbol, label: symbol })),
            unitValue: draft.stablecoin,
            onUnitChange: (symbol: string) => setValue("stablecoin", symbol, check),
          }
        : { unit: unit?.symbol ?? "tokens" };
  return (
    <Field
      label={number ? `Amount ${number}` : "Amount"}
      error={error?.message}
      echo={
        unit && reading?.isAmount
          ? `= ${plural(reading.amount, "base unit")} (${plural(unit.wireDecimals, "decimal")})`
          : undefined
      }
    >
      <MoneyInput {...units} {...register(`receivers.${index}.amount`)} />
    </Field>
  );
}

function AddressField({ draft, market, index, unit, number }: PartProps) {
  const { register, setValue, formState } = useFormContext<PlanDraft>();
  const error = formState.errors.receivers?.[index]?.address;
  const { ownAddress } = market;
  const reading = readAddress(draft.receivers[index]?.address ?? "", {
    ...(ownAddress && { ownAddress }),
    ...(unit?.tokenAddress && { tokenAddress: unit.tokenAddress }),
  });
  return (
    <Field
      className="flex-1"
      label={number ? `Receiver ${number}` : "Receiver"}
      error={error?.message}
      good={reading.isAddress ? reading.good : undefined}
    >
      <AddressInput
        {...register(`receivers.${index}.address`)}
        onOwnAddress={
          ownAddress && !number
            ? () =>
                setValue(`receivers.${index}.address`, ownAddress, {
                  shouldValidate: true,
                  shouldDirty: true,
                })
            : undefined
        }
      />
    </Field>
  );
}

function TotalLine({ draft, unit }: { draft: PlanDraft; unit: DraftUnit }) {
  const readings = draft.receivers.map(({ amount }) => readAmount(amount, unit));
  const isComplete = readings.every(({ isAmount }) => isAmount);
  const total = readings.reduce((sum, one) => (one.isAmount ? sum + one.amount : sum), 0n);
  const totalUnit = { symbol: unit.symbol, decimals: unit.wireDecimals };
  return (
    <p className="text-note tabular-nums" role="status">
      {isComplete
        ? `${amountWords(total, totalUnit)} in total, to ${draft.receivers.length} receivers.`
        : "Enter every amount to see the total."}
    </p>
  );
}
