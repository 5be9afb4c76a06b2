"use client";

import { useState } from "react";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "../ui/data/data-table-columns.ts";
import { NothingYet } from "../ui/nothing-yet.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Tag } from "../ui/values/tag.tsx";
import type { PlanChoice } from "./agent-types.ts";
import { PlanCombobox } from "./plan-combobox.tsx";
import { type PlanUse, unlinkEffects } from "./unlink-effects.ts";

type LinkedPlan = PlanChoice & PlanUse;
type Row = LinkedPlan & { onUnlink: () => void };

const columns: DataColumns<Row> = [
  {
    id: "name",
    head: "Plan",
    phone: "title",
    opens: true,
    className: "wrap-anywhere min-w-40 font-medium",
    cell: ({ name, isArchived }) => (
      <>
        {name} {isArchived && <Tag>Archived</Tag>}
      </>
    ),
  },
  { id: "price", label: "Price", className: "tabular-nums" },
  { id: "credits", label: "Credits per call", align: "end" },
  actionsColumn((row) => (
    <Button size="small" aria-label={`Unlink ${row.name}`} onClick={row.onUnlink}>
      Unlink
    </Button>
  )),
];

type AgentPlansProps = {
  agentId: string;
  linked: LinkedPlan[];
  others: PlanChoice[];
  addPlan: OperationAction<"addPlanToAgent">;
  removePlan: OperationAction<"removePlanFromAgent">;
};

export function AgentPlans({ agentId, linked, others, addPlan, removePlan }: AgentPlansProps) {
  const [selected, setSelected] = useState<LinkedPlan | null>(null);
  const linking = useOperation();
  const rows = linked.map((plan) => ({ ...plan, onUnlink: () => setSelected(plan) }));
  return (
    <div className="grid grid-cols-1 gap-4">
      {others.length > 0 && (
        <PlanCombobox
          label="Link a plan"
          plans={others}
          isDisabled={linking.isPending}
          onChoose={({ planId, name }) =>
            linking.run(
              () => addPlan({ agentId, planId }),
              () => void toast(`“${name}” linked`),
            )
          }
        />
      )}
      <FailureNotice title="The plan was not linked." of={linking} />
      <DataTable
        caption="Plans that pay for this agent"
        columns={columns}
        rows={rows}
        rowId={({ planId }) => planId}
        hrefOf={({ planId }) => `/plans/${planId}`}
        empty={
          <NothingYet title="No plan linked yet" action="New plan" href="/plans/new">
            Callers buy a plan to pay for this agent.{" "}
            {others.length > 0 && "Link one of your plans above."}
          </NothingYet>
        }
      />
      {selected && (
        <OperationDialog
          title={`Unlink “${selected.name}”?`}
          effects={unlinkEffects(selected)}
          safe="Keep it"
          verb="Unlink plan"
          failed="The plan was not unlinked."
          run={() => removePlan({ agentId, planId: selected.planId })}
          onDone={() => toast(`“${selected.name}” unlinked`)}
          onClose={() => setSelected(null)}
        />
      )}
    </div>
  );
}
