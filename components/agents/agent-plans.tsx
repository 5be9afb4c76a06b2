"use client";

import { useState, useTransition } from "react";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Combobox } from "../ui/fields/combobox.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import type { Changed, PlanChoice } from "./agent-types.ts";

type Row = PlanChoice & { onUnlink: () => void };

const column = columnsOf<Row>();
const columns = column.columns([
  column.accessor("name", {
    header: "Plan",
    meta: { phone: "title", opens: true, className: "wrap-anywhere min-w-40 font-medium" },
  }),
  column.accessor("price", { header: "Price", meta: { className: "tabular-nums" } }),
  column.accessor("credits", {
    header: "Credits a call",
    meta: { align: "end", phoneLabel: "Credits a call" },
  }),
  column.display({
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { align: "end", phone: "end", hasActions: true },
    cell: ({ row: { original } }) => (
      <Button size="small" aria-label={`Unlink ${original.name}`} onClick={original.onUnlink}>
        Unlink
      </Button>
    ),
  }),
]);

type Change = (agentId: string, planId: string) => Promise<Changed<{ success: true }>>;

/** The plans that pay for an agent: link another, unlink one. */
export function AgentPlans({
  agentId,
  linked,
  others,
  addPlan,
  removePlan,
}: {
  agentId: string;
  linked: PlanChoice[];
  others: PlanChoice[];
  addPlan: Change;
  removePlan: Change;
}) {
  const [asked, setAsked] = useState<PlanChoice | null>(null);
  const [failure, setFailure] = useState("");
  const [isPending, start] = useTransition();
  const run = (plan: PlanChoice, change: Change, said: string) =>
    start(async () => {
      setFailure("");
      const answer = await change(agentId, plan.planId);
      if (!answer.ok) return setFailure(`${answer.message} ${answer.hint}`);
      setAsked(null);
      toast(said);
    });
  const rows = linked.map((plan) => ({ ...plan, onUnlink: () => setAsked(plan) }));
  return (
    <div className="grid gap-4">
      {others.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <Combobox
            label="Link a plan"
            placeholder="Link a plan"
            className="w-72"
            isDisabled={isPending}
            value={undefined}
            options={others.map(({ planId, name, price }) => ({
              value: planId,
              label: name,
              note: price,
              keywords: [planId],
            }))}
            onValueChange={(planId) => {
              const plan = others.find((one) => one.planId === planId);
              if (plan) run(plan, addPlan, `‘${plan.name}’ pays for this agent`);
            }}
          />
        </div>
      )}
      {failure && !asked && (
        <Notice tone="refused" title="Nothing was changed." role="alert">
          {failure}
        </Notice>
      )}
      <DataTable
        caption="Plans that pay for this agent"
        columns={columns}
        rows={rows}
        rowId={({ planId }) => planId}
        hrefOf={({ planId }) => `/plans/${planId}`}
        empty={
          <Empty
            headingLevel={2}
            kind="first"
            title="No plan pays for this agent"
            actions={
              <ButtonLink look="primary" href="/plans/new">
                New plan
              </ButtonLink>
            }
          >
            Callers buy a plan to pay it. {others.length > 0 && "Link one of yours above."}
          </Empty>
        }
      />
      {asked && (
        <ConfirmDialog
          isOpen
          onOpenChange={(isOpen) => !isOpen && setAsked(null)}
          title={`Unlink ‘${asked.name}’?`}
          effects={[
            {
              icon: "cross",
              title: "Its access tokens for this agent are refused from now on",
              detail: "They answer invalid_agent; calls under way may still settle.",
            },
            { icon: "check", title: "Orders and credits stay as they are" },
          ]}
          safe="Keep it"
          verb="Unlink plan"
          isPending={isPending}
          onConfirm={() => run(asked, removePlan, `‘${asked.name}’ was unlinked`)}
        >
          {failure && (
            <Notice tone="refused" title="The plan was not unlinked.">
              {failure}
            </Notice>
          )}
        </ConfirmDialog>
      )}
    </div>
  );
}
