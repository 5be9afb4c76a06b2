import type { AlertRule } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState, useTransition } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { answerOf } from "../forms/answer-of.ts";
import { toastWithUndo } from "../forms/undo-change.ts";
import { useOperation } from "../forms/use-operation.ts";
import type { AlertActions } from "./alert-actions.ts";
import {
  afterChange,
  afterFailure,
  type RuleChange,
  type RuleQueue,
  ruleInput,
  ruleNow,
} from "./rule-changes.ts";

const EMPTY: RuleQueue = { waiting: [], discarded: new Map() };

/**
 * Makes the changes of the table one after the other, each to the rules as the one before left them: a click on a switch
 * also ends the typing of a threshold. After a failure those that wait are discarded, with the notice of the failure.
 */
export function useRuleChanges(
  rules: readonly AlertRule[],
  { createAlertRule, updateAlertRule, deleteAlertRule }: AlertActions,
) {
  const router = useRouter();
  const [isRefreshing, startRefresh] = useTransition();
  const [{ waiting, discarded }, setQueue] = useState<RuleQueue>(EMPTY);
  const operation = useOperation();
  const { run, isPending } = operation;

  const setWaiting = useCallback(
    (next: (waiting: RuleQueue["waiting"]) => RuleQueue["waiting"]) =>
      setQueue((queue) => ({ ...queue, waiting: next(queue.waiting) })),
    [],
  );
  const refresh = () => startRefresh(() => router.refresh());
  const orDiscard = async <Data>(change: RuleChange, work: Promise<ActionAnswer<Data>>) => {
    const answer = await answerOf(work);
    if (!answer?.ok) setQueue((queue) => afterFailure(queue, change));
    return answer ?? work;
  };
  const make = (change: RuleChange) => {
    const rule = ruleNow(rules, change.rule);
    const { ruleId } = rule;
    const { changesOf } = change;
    const current = { ...change, rule };
    if (changesOf) {
      return run(
        () => orDiscard(current, updateAlertRule({ ruleId, ...changesOf(rule) })),
        (changed) => {
          setWaiting((left) => afterChange(left, change, changed));
          refresh();
        },
      );
    }
    return run(
      () => orDiscard(current, deleteAlertRule({ ruleId })),
      () => {
        toastWithUndo("Rule removed", {
          undo: () => createAlertRule(ruleInput(rule)),
          undone: "Rule restored",
          failed: "The rule was not restored.",
          onDone: () => router.refresh(),
        });
        refresh();
      },
    );
  };
  useEffect(() => {
    const [next] = waiting;
    if (!next || isPending || isRefreshing) return;
    setWaiting((left) => left.slice(1));
    void make(next);
  });

  const add = useCallback(
    (change: RuleChange) => setWaiting((left) => [...left, change]),
    [setWaiting],
  );
  return { add, discarded, operation };
}
