"use client";

import type { Agent } from "@turnpike/payments/protocol";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { createResolver } from "../forms/create-resolver.ts";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { UnsavedGuard } from "../shell/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import type { PlanChoice } from "./agent-types.ts";
import { type EndpointChanges, endpointChanges, isNoChange } from "./endpoint-changes.ts";
import { EndpointsStep } from "./endpoints-step.tsx";
import {
  ownRow,
  probeRequestOf,
  type Row,
  registeredRow,
  withSeen,
} from "./register/registration-draft.ts";
import { endpointsInput, rowsFault } from "./register/registration-input.ts";
import { useProbes } from "./use-probes.ts";

type AgentEndpointsProps = {
  agent: Agent;
  plans: PlanChoice[];
  isSandbox: boolean;
  changeEndpoints: (agentId: string, changes: EndpointChanges) => Promise<ActionAnswer<Agent>>;
};

type Values = { rows: Row[] };

const endpointsResolver = createResolver((values: Values) => {
  const rows = rowsFault(values.rows);
  return rows ? { faults: { rows } } : { input: values };
});

/** The registered endpoints: probe them, add or remove some, make them paid or free. */
export function AgentEndpoints({ agent, plans, isSandbox, changeEndpoints }: AgentEndpointsProps) {
  const { main } = agent.metadata;
  // What the page was loaded with, or saved last: a refreshed page may bring the changes of another tab.
  const [saved, setSaved] = useState(() => registeredRows(agent));
  const form = useOperationForm<Values, Values, Agent>({
    defaultValues: { rows: saved },
    resolver: endpointsResolver,
    run: ({ rows }) => changeEndpoints(agent.agentId, changesOf(saved, rows)),
    onDone: (changed) => {
      const now = registeredRows(changed);
      setSaved(now);
      form.setValue("rows", withProbesOf(form.getValues("rows"), now));
      toast("Endpoints saved");
    },
    fieldOf: () => "rows",
  });
  const rows = useWatch({ control: form.control, name: "rows" });
  const { probing, probe } = useProbes((asked, seen) =>
    form.setValue("rows", withSeen(form.getValues("rows"), asked, seen)),
  );
  const isChanged = !isNoChange(changesOf(saved, rows));
  const undo = () => {
    const now = registeredRows(agent);
    setSaved(now);
    form.reset({ rows: now });
  };
  return (
    <div className="grid gap-4">
      <EndpointsStep
        rows={rows}
        onRows={(next) => form.setValue("rows", next)}
        plans={plans}
        probing={probing}
        onProbe={(asked) => probe(asked.map(probeRequestOf), { agentId: agent.agentId })}
        agent={{ name: main.name, agentId: agent.agentId, planIds: agent.plans }}
        isSandbox={isSandbox}
        fault={form.formState.errors.rows?.message ?? form.failure}
      />
      {isChanged && <UnsavedGuard />}
      {isChanged && (
        <Notice
          tone="neutral"
          title="You have unsaved changes to the endpoints."
          action={
            <>
              <Button onClick={undo}>Undo</Button>
              <Button look="primary" isPending={form.isPending} onClick={() => void form.submit()}>
                Save endpoints
              </Button>
            </>
          }
        >
          Access tokens stay valid. Update the gate’s routes in your code as well.
        </Notice>
      )}
    </div>
  );
}

function registeredRows({ metadata: { agent } }: Agent): Row[] {
  const paid = agent.endpoints.flatMap((endpoint) =>
    Object.entries(endpoint).map(([verb, url]) => registeredRow(ownRow(url, verb))),
  );
  const open = agent.openEndpoints.map((url) => ({
    ...registeredRow(ownRow(url, "GET")),
    isPaid: false,
  }));
  return [...paid, ...open];
}

const changesOf = (saved: readonly Row[], rows: readonly Row[]): EndpointChanges =>
  endpointChanges(endpointsInput(saved), endpointsInput(rows));

/** The rows of what was saved, with what probes saw of them before. */
const withProbesOf = (before: readonly Row[], now: readonly Row[]): Row[] =>
  now.map((row) => {
    const same = before.find(({ verb, url }) => verb === row.verb && url.trim() === row.url);
    return same ? { ...row, key: same.key, probe: same.probe } : row;
  });
