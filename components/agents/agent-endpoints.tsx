"use client";

import type { Agent, InputOf } from "@turnpike/payments/protocol";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import type { Changed, PlanChoice } from "./agent-types.ts";
import { EndpointsStep } from "./endpoints-step.tsx";
import { openRows, ownRow, paidRows, type Row } from "./registration-draft.ts";
import { askedOf, endpointsFaultOf } from "./registration-input.ts";
import { useProbes } from "./use-probes.ts";

/** The registered endpoints: probe them, add, take away, open or close them. */
export function AgentEndpoints({
  agent,
  plans,
  isSandbox,
  updateAgent,
}: {
  agent: Agent;
  plans: PlanChoice[];
  isSandbox: boolean;
  updateAgent: (input: InputOf<"updateAgent">) => Promise<Changed<Agent>>;
}) {
  const { agent: api, main } = agent.metadata;
  const [rows, setRows] = useState<Row[]>(() => registeredRows(agent));
  const [isPending, setPending] = useState(false);
  const [fault, setFault] = useState<string>();
  const { probing, probe } = useProbes((key, seen) =>
    setRows((now) => now.map((row) => (row.key === key ? { ...row, probe: seen } : row))),
  );
  const isChanged = fingerprint(rows) !== fingerprint(registeredRows(agent));

  const save = async () => {
    const wrong = endpointsFaultOf(rows);
    setFault(wrong);
    if (wrong) return;
    setPending(true);
    const saved = await updateAgent({
      agentId: agent.agentId,
      agentApiAttributes: {
        endpoints: paidRows(rows).map(({ verb, url }) => ({ [verb]: url.trim() })),
        openEndpoints: openRows(rows).map(({ url }) => url.trim()),
        authType: api.authType,
        ...(api.agentDefinitionUrl && { agentDefinitionUrl: api.agentDefinitionUrl }),
      },
    });
    setPending(false);
    if (!saved.ok) return setFault(`${saved.message} ${saved.hint}`);
    setRows((now) =>
      now.filter(({ isTicked }) => isTicked).map((row) => ({ ...row, isOwn: false })),
    );
    toast("The endpoints were saved");
  };

  return (
    <div className="grid gap-4">
      <EndpointsStep
        rows={rows}
        onRows={setRows}
        plans={plans}
        probing={probing}
        onProbe={(asked) => probe(asked.map(askedOf), { agentId: agent.agentId })}
        agent={{ name: main.name, agentId: agent.agentId, planIds: agent.plans }}
        isSandbox={isSandbox}
        fault={fault}
      />
      {isChanged && (
        <Notice
          tone="neutral"
          title="The endpoints are changed and not saved."
          action={
            <>
              <Button onClick={() => setRows(registeredRows(agent))}>Undo</Button>
              <Button look="primary" isPending={isPending} onClick={save}>
                Save endpoints
              </Button>
            </>
          }
        >
          Access tokens stay valid; the gate’s routes have to follow by hand.
        </Notice>
      )}
    </div>
  );
}

function registeredRows({ metadata: { agent } }: Agent): Row[] {
  const paid = agent.endpoints.flatMap((endpoint) =>
    Object.entries(endpoint).map(([verb, url]) => ({ ...ownRow(url, verb), isOwn: false })),
  );
  const open = agent.openEndpoints.map((url) => ({
    ...ownRow(url, "GET"),
    isOwn: false,
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
