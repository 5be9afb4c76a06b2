import { MoneyStatus } from "@turnpike/payments/protocol";
import { type FormEvent, useId, useState } from "react";
import { ATTEMPT_CAUSES } from "@/lib/console/attempt-causes.ts";
import { Checkbox } from "../../ui/fields/checkbox.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { Select } from "../../ui/fields/select.tsx";
import { TextField } from "../../ui/fields/text-field.tsx";
import { ActionDialog } from "../../ui/overlays/dialog.tsx";
import { MONEY_STATUSES } from "../../ui/values/money-status.tsx";
import type { Names } from "../names.ts";
import type { ActivityFilter } from "./activity-filter.ts";
import { type FilterDraft, readFilterDraft, startFilterDraft } from "./filter-draft.ts";
import { FILTER_FIELDS, type FilterField } from "./filter-fields.ts";

type FilterDialogProps = {
  field: FilterField;
  filter: ActivityFilter;
  names: Names;
  onApply: (change: Partial<ActivityFilter>) => void;
  onClose: () => void;
};

export function FilterDialog({ field, filter, names, onApply, onClose }: FilterDialogProps) {
  const [draft, setDraft] = useState(() => startFilterDraft(field, filter));
  const [error, setError] = useState<string>();
  const formId = useId();
  const label = FILTER_FIELDS.find((one) => one.field === field)?.label ?? "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const read = readFilterDraft(field, draft);
    if ("error" in read) setError(read.error);
    else onApply(read.change);
  };
  return (
    <ActionDialog
      onClose={onClose}
      title={`Filter by ${label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())}`}
      verb="Apply filter"
      action={{ form: formId }}
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FilterValue {...{ field, names, draft, setDraft, error }} />
      </form>
    </ActionDialog>
  );
}

type FilterValueProps = Pick<FilterDialogProps, "field" | "names"> & {
  draft: FilterDraft;
  setDraft: (draft: FilterDraft) => void;
  error: string | undefined;
};

function FilterValue({ field, names, draft, setDraft, error }: FilterValueProps) {
  switch (field) {
    case "money":
      return (
        <MoneyChoice chosen={draft.money} onChange={(money) => setDraft({ ...draft, money })} />
      );
    case "httpStatus":
    case "planId":
    case "agentId":
    case "cause":
      return (
        <Field label={CHOICE_LABELS[field]}>
          <Select
            options={optionsOf(field, names)}
            value={draft.text || undefined}
            onValueChange={(text) => setDraft({ ...draft, text })}
            placeholder="Any"
          />
        </Field>
      );
    case "payer":
    case "tokenId":
    case "search":
      return (
        <TextField
          label={TEXT_LABELS[field]}
          error={error}
          isMono
          data-safe
          maxLength={128}
          value={draft.text}
          onChange={({ target }) => setDraft({ ...draft, text: target.value })}
        />
      );
  }
}

const CHOICE_LABELS = {
  httpStatus: "HTTP status is",
  planId: "Plan is",
  agentId: "Agent is",
  cause: "Cause is",
};

const TEXT_LABELS = {
  payer: "Customer is",
  tokenId: "Token ID is",
  search: "Request ID contains",
};

const HTTP_OPTIONS = [
  { value: "2xx", label: "2xx, success" },
  { value: "402", label: "402, payment required" },
  { value: "4xx", label: "4xx, client error" },
  { value: "5xx", label: "5xx, server error" },
];

const CAUSE_OPTIONS = Object.entries(ATTEMPT_CAUSES).map(([value, { title }]) => ({
  value,
  label: `${title} (${value})`,
}));

function optionsOf(field: keyof typeof CHOICE_LABELS, { plans, agents }: Names) {
  if (field === "httpStatus") return HTTP_OPTIONS;
  if (field === "cause") return CAUSE_OPTIONS;
  const named = field === "planId" ? plans : agents;
  return Object.entries(named).map(([value, label]) => ({ value, label }));
}

type MoneyChoiceProps = { chosen: MoneyStatus[]; onChange: (chosen: MoneyStatus[]) => void };

function MoneyChoice({ chosen, onChange }: MoneyChoiceProps) {
  return (
    <fieldset className="grid min-w-0 content-start gap-1.5">
      <legend className="mb-1.5 text-label">Payment status is one of</legend>
      {MoneyStatus.options.map((status) => (
        <Checkbox
          key={status}
          label={MONEY_STATUSES[status].word}
          hint={MONEY_STATUSES[status].meaning}
          checked={chosen.includes(status)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, status] : chosen.filter((one) => one !== status))
          }
        />
      ))}
    </fieldset>
  );
}
