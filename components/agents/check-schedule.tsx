"use client";

import type { CheckSchedule as Schedule } from "@/lib/console/market-facts.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Switch } from "../ui/fields/switch.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

type CheckScheduleProps = {
  agentId: string;
  schedule: Schedule;
  setSchedule: OperationAction<"setCheckSchedule">;
};

/** A switch for an agent's daily check, with the last run and the next. */
export function CheckSchedule({ agentId, schedule, setSchedule }: CheckScheduleProps) {
  const { isOn, last, nextAt } = schedule;
  const saving = useOperation();
  const change = (next: boolean) =>
    saving.run(
      () => setSchedule({ agentId, isOn: next }),
      () => void toast(next ? "Daily check on" : "Daily check off"),
    );
  return (
    <Section id="daily-check" title="Daily check">
      <div className="grid max-w-180 gap-4">
        <div className="grid gap-1.5">
          <Switch
            label="Check this agent every day"
            checked={isOn}
            disabled={saving.isPending}
            onChange={({ target }) => void change(target.checked)}
          />
          <p className="text-ink-2 text-note">
            Runs the same checks once a day, without charge. Failed checks open an{" "}
            <TextLink href="/alerts">alert</TextLink>.
          </p>
        </div>
        <FailureNotice title="The daily check was not changed." of={saving} />
        <DefinitionList
          items={{
            "Last run": last ? (
              <>
                {last.passed} of {last.checks} checks passed, <TimeAgo at={last.at} form="full" />
              </>
            ) : (
              "None yet"
            ),
            "Next run": nextAt ? <TimeAgo at={nextAt} form="full" /> : "Not scheduled",
          }}
        />
      </div>
    </Section>
  );
}
