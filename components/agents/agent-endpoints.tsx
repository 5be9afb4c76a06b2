"use client";

import type { Agent } from "@turnpike/payments/protocol";
import { useWatch } from "react-hook-form";
import type { OperationAction } from "../forms/action-answer.ts";
import { createResolver } from "../forms/create-resolver.ts";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import type { PlanChoice } from "./agent-types.ts";
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
  updateAgent: OperationAction<"updateAgent">;
};

type Values = { rows: Row[] };

const endpointsResolver = createResolver((values: Values) => {
  const rows = rowsFault(values.rows);
  return rows ? { faults: { rows } } : { input: values };
});

/** The registered endpoints: probe them, add or remove some, make them paid or free. */
export function AgentEndpoints({ agent, plans, isSandbox, updateAgent }: AgentEndpointsProps) {
  const { main } = agent.metadata;
  const form = useOperationForm<Values, Values, Agent>({
    defaultValues: { rows: registeredRows(agent) },
    mode: "onSubmit",
    resolver: endpointsResolver,
    run: ({ rows }) =>
      updateAgent({ agentId: agent.agentId, agentApiAttributes: endpointsInput(rows) }),
    onDone: (_, { rows }) => {
      const kept = rows.filter(({ isTicked }) => isTicked);
      form.setValue("rows", kept.map(registeredRow));
      toast("Endpoints saved");
    },
    fieldOf: () => "rows",
  });
  const rows = useWatch({ control: form.control, name: "rows" });
  const { probing, probe } = useProbes((asked, seen) =>
    form.setValue("rows", withSeen(form.getValues("rows"), asked, seen)),
  );
  const isChanged = fingerprint(rows) !== fingerprint(registeredRows(agent));
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
      {isChanged && (
        <Notice
          tone="neutral"
          title="You have unsaved changes to the endpoints."
          action={
            <>
              <Button onClick={() => form.reset({ rows: registeredRows(agent) })}>Undo</Button>
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

const fingerprint = (rows: readonly Row[]): string =>
  JSON.stringify(
    rows
      .filter(({ isTicked }) => isTicked)
      .map(({ verb, url, isPaid }) => (isPaid ? `${verb} ${url}` : url)),
  );
