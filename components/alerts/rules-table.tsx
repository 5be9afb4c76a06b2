"use client";

import type { AlertRule } from "@turnpike/payments/protocol";
import { useMemo, useState } from "react";
import { alertKindOf } from "@/lib/console/alert-kinds.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { Switch } from "../ui/fields/switch.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import type { AlertActions } from "./alert-actions.ts";
import { setChannel, thresholdKey } from "./rule-changes.ts";
import { afterOf, isMailed, readThreshold, ruleSentence } from "./rule-text.ts";
import { useRuleChanges } from "./use-rule-changes.ts";

type RulesTableProps = {
  rules: AlertRule[];
  actions: AlertActions;
};
type Channel = AlertRule["channels"][number];

/** The switches of a rule share one line on phones. */
const SHARED = "max-sm:col-span-1 max-sm:justify-start max-sm:gap-x-0 max-sm:whitespace-nowrap";

/** Every rule of the account, to change in place. */
export function RulesTable({ rules, actions }: RulesTableProps) {
  const { add, discarded, operation } = useRuleChanges(rules, actions);
  const columns = useMemo<DataColumns<AlertRule>>(() => {
    const change: Change = (rule, changesOf) => add({ rule, changesOf });
    const channel = (id: Channel, head: string) => ({
      id,
      label: head,
      hasActions: true,
      className: SHARED,
      cell: (rule: AlertRule) => (
        <ChannelSwitch rule={rule} channel={id} head={head} change={change} />
      ),
    });
    return [
      {
        id: "kind",
        head: "Tell me when",
        phone: "title",
        hasActions: true,
        cell: (rule) => (
          <Sentence key={thresholdKey(rule, { discarded })} rule={rule} change={change} />
        ),
      },
      {
        id: "object",
        label: "For",
        hasActions: true,
        className: "max-sm:col-span-2 max-sm:justify-start max-sm:gap-x-0 max-sm:text-start",
        cell: ({ object, kind }) =>
          object ? <Identifier value={object} name="ID" /> : alertKindOf(kind).objects,
      },
      channel("email", "Email"),
      channel("webhook", "Webhook"),
      {
        id: "isOn",
        label: "On",
        hasActions: true,
        className: `${SHARED} max-sm:justify-end`,
        cell: (rule) => (
          <Switch
            label={`On: ${sentenceOf(rule)}`}
            isLabelHidden
            checked={rule.isOn}
            onChange={({ target: { checked } }) => change(rule, () => ({ isOn: checked }))}
          />
        ),
      },
      actionsColumn(
        (rule) =>
          rule.isBuiltIn ? (
            <span className="whitespace-nowrap text-ink-2 text-small">Built in</span>
          ) : (
            <IconButton
              icon="close"
              label={`Remove rule: ${sentenceOf(rule)}`}
              onClick={() => add({ rule })}
            />
          ),
        { className: "max-sm:order-first max-sm:col-start-3" },
      ),
    ];
  }, [add, discarded]);
  return (
    <div className="grid gap-3">
      <DataTable
        caption="Rules"
        columns={columns}
        rows={rules}
        rowId={({ ruleId }) => ruleId}
        className="max-sm:[&_tr]:grid-cols-3"
      />
      <FailureNotice title="The rule was not changed." of={operation} />
    </div>
  );
}

const sentenceOf = ({ kind, threshold }: AlertRule) => ruleSentence(kind, threshold);

type Change = (rule: AlertRule, changesOf: (rule: AlertRule) => Partial<AlertRule>) => void;

function Sentence({ rule, change }: { rule: AlertRule; change: Change }) {
  const { before } = alertKindOf(rule.kind);
  const [text, setText] = useState(String(rule.threshold));
  const threshold = readThreshold(text);
  const after = afterOf(rule.kind, threshold ?? rule.threshold);
  if (!after) return before;
  const [unit, ...rest] = after.split(" ");
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      {before}
      {/* The unit stays beside its number where the sentence wraps. */}
      <span className="inline-flex items-center gap-2">
        <TextInput
          aria-label={`${before}, ${after}`}
          aria-invalid={threshold === undefined || undefined}
          inputMode="numeric"
          className="w-20"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
          onBlur={() => {
            if (threshold === undefined) setText(String(rule.threshold));
            else if (threshold !== rule.threshold) change(rule, () => ({ threshold }));
          }}
        />
        {unit}
      </span>
      {rest.join(" ")}
    </span>
  );
}

type ChannelSwitchProps = { rule: AlertRule; channel: Channel; head: string; change: Change };

function ChannelSwitch({ rule, channel, head, change }: ChannelSwitchProps) {
  const { kind, channels } = rule;
  if (channel === "email" && !isMailed(kind)) return "–";
  return (
    <Switch
      label={`${head}: ${sentenceOf(rule)}`}
      isLabelHidden
      checked={channels.includes(channel)}
      onChange={({ target }) => change(rule, setChannel(channel, target.checked))}
    />
  );
}
