import type { AlertKind, AlertRule, InputOf } from "@turnpike/payments/protocol";

type Channel = AlertRule["channels"][number];

/** A change that waits for the ones before it. Without `changesOf` the rule is removed. */
export type RuleChange = {
  rule: AlertRule;
  /** What to set, from the rule as it is when the change is sent. */
  changesOf?: (rule: AlertRule) => Partial<AlertRule>;
};

/** The rule as it is now. A built-in one that was changed has another ID, and so have the others of its kind. */
export const ruleNow = (rules: readonly AlertRule[], rule: AlertRule): AlertRule =>
  rules.find(({ ruleId }) => ruleId === rule.ruleId) ??
  rules.find(
    ({ kind, object, threshold }) =>
      kind === rule.kind && object === rule.object && threshold === rule.threshold,
  ) ??
  rule;

/** The waiting changes after one was made: those of the same rule are for what it became. */
export const afterChange = (
  waiting: readonly RuleChange[],
  { rule }: RuleChange,
  changed: AlertRule,
): RuleChange[] =>
  waiting.map((one) => (one.rule.ruleId === rule.ruleId ? { ...one, rule: changed } : one));

/** The changes that wait, and how often changes of each rule were discarded. */
export type RuleQueue = {
  waiting: readonly RuleChange[];
  discarded: ReadonlyMap<string, number>;
};

/** The queue after a change failed: it is discarded with those that wait. */
export function afterFailure({ waiting, discarded }: RuleQueue, failed: RuleChange): RuleQueue {
  const ids = new Set([failed, ...waiting].map(({ rule }) => rule.ruleId));
  const counts = [...ids].map((id) => [id, (discarded.get(id) ?? 0) + 1] as const);
  return { waiting: [], discarded: new Map([...discarded, ...counts]) };
}

/** The key of a rule's threshold field. A new one shows the saved number: it was changed elsewhere, or a typed one was discarded. */
export const thresholdKey = (
  { ruleId, threshold }: AlertRule,
  { discarded }: Pick<RuleQueue, "discarded">,
): string => `${threshold} ${discarded.get(ruleId) ?? 0}`;

/** Sends alerts of a rule to a channel, or no longer. */
export const setChannel =
  (channel: Channel, isOn: boolean) =>
  ({ channels }: AlertRule): Partial<AlertRule> => {
    const others = channels.filter((other) => other !== channel);
    return { channels: isOn ? [...others, channel] : others };
  };

/** What adds a rule again that was removed. */
export const ruleInput = ({
  kind,
  object,
  threshold,
  channels,
  isOn,
}: AlertRule): InputOf<"createAlertRule"> => ({
  // A newer service's, too: it goes back to where it came from.
  kind: kind as AlertKind,
  threshold,
  channels,
  isOn,
  ...(object && { object }),
});
