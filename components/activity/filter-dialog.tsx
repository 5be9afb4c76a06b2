"use client";

import { isAddress, MoneyStatus } from "@turnpike/payments/protocol";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Field, FieldGroup } from "../ui/fields/field.tsx";
import { Select } from "../ui/fields/select.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { MONEY_STATUSES } from "../ui/values/money-status.tsx";
import type { ActivityFilter } from "./activity-filter.ts";
import { FILTER_FIELDS, type FilterField } from "./filter-fields.ts";
import type { Names } from "./names.ts";

const HTTP_OPTIONS = [
  { value: "2xx", label: "2xx, answered" },
  { value: "402", label: "402, payment required" },
  { value: "4xx", label: "4xx, refused" },
  { value: "5xx", label: "5xx, failed" },
];

type FilterDialogProps = {
  field: FilterField;
  filter: ActivityFilter;
  names: Names;
  onApply: (change: Partial<ActivityFilter>) => void;
  onClose: () => void;
};

/** Asks for the value of one filter. */
export function FilterDialog({ field, filter, names, onApply, onClose }: FilterDialogProps) {
  const [text, setText] = useState(() => (field === "money" ? "" : (filter[field] ?? "")));
  const [money, setMoney] = useState(filter.money);
  const [fault, setFault] = useState("");
  const formId = useId();
  const label = FILTER_FIELDS.find((one) => one.field === field)?.label ?? "";

  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (field === "money") {
      onApply({ money: MoneyStatus.options.filter((status) => money.includes(status)) });
      return;
    }
    const value = text.trim();
    if (field === "payer" && value && !isAddress(value)) {
      setFault("That is not an EVM address. It has 42 characters and starts with 0x.");
      return;
    }
    onApply({ [field]: value || undefined });
  };
  const options = (known: Readonly<Record<string, string>>) =>
    Object.entries(known).map(([value, name]) => ({ value, label: name }));
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Filter by ${label.toLowerCase()}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId}>
            Apply filter
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        {field === "money" && (
          <FieldGroup label="Money is one of">
            {MoneyStatus.options.map((status) => (
              <Checkbox
                key={status}
                label={MONEY_STATUSES[status].word}
                hint={MONEY_STATUSES[status].meaning}
                checked={money.includes(status)}
                onChange={({ target }) =>
                  setMoney((known) =>
                    target.checked ? [...known, status] : known.filter((one) => one !== status),
                  )
                }
              />
            ))}
          </FieldGroup>
        )}
        {field === "httpStatus" && (
          <Field label="HTTP status is">
            <Select
              options={HTTP_OPTIONS}
              value={text || undefined}
              onValueChange={setText}
              placeholder="Any"
            />
          </Field>
        )}
        {(field === "planId" || field === "agentId") && (
          <Field label={`${label} is`}>
            <Select
              options={options(field === "planId" ? names.plans : names.agents)}
              value={text || undefined}
              onValueChange={setText}
              placeholder="Any"
            />
          </Field>
        )}
        {(field === "payer" || field === "search") && (
          <Field
            label={field === "payer" ? "Payer is" : "Request id contains"}
            error={fault || undefined}
          >
            <TextInput
              isMono
              data-safe
              maxLength={128}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </Field>
        )}
      </form>
    </Dialog>
  );
}
