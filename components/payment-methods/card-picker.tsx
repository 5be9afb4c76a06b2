import { RadioGroup, type RadioGroupProps, type RadioOption } from "../ui/fields/radio-group.tsx";
import { AddCard, type AddCardProps } from "./add-card.tsx";
import { cardChoice, NEW_CARD, type SavedCard } from "./card-text.ts";

type CardPickerProps = Pick<AddCardProps, "actions" | "hasTestCards"> &
  Pick<RadioGroupProps, "look" | "error"> & {
    cards: SavedCard[];
    value: string;
    onValueChange: (id: string) => void;
    now: string;
    label?: string;
    name?: string;
    before?: RadioOption[];
    /** Shows the form for a card alone. */
    isListHidden?: boolean;
    adding?: AddCardProps["look"];
  };

/** A saved card, or a new one, which is chosen once it is saved. */
export function CardPicker({
  cards,
  value,
  onValueChange,
  now,
  label = "Card",
  name = "card",
  before = [],
  isListHidden,
  look = "lines",
  error,
  adding = "primary",
  actions,
  hasTestCards,
}: CardPickerProps) {
  return (
    <>
      {!isListHidden && (
        <RadioGroup
          label={label}
          look={look}
          error={error}
          name={name}
          value={value}
          onValueChange={onValueChange}
          options={[
            ...before,
            ...cards.map((card) => cardChoice(card, now)),
            { value: NEW_CARD, label: "New card" },
          ]}
        />
      )}
      {value === NEW_CARD && (
        <AddCard
          actions={actions}
          hasTestCards={hasTestCards}
          look={adding}
          onAdded={onValueChange}
        />
      )}
    </>
  );
}
