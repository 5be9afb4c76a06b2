// `npm run docs:record`: calls every operation of the service on a market of samples, and writes the requests and answers
// to `components/docs/recorded-examples.json`. Ids, keys and times are replaced by fixed ones, so that recording again
// changes nothing until an operation does.
import { writeFileSync } from "node:fs";
import { type Operation, operations } from "@turnpike/payments/protocol";
import type { Recorded } from "@/components/docs/recorded-examples.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { sandbox } from "@/lib/sandbox/operations.ts";
import { callOperation } from "@/lib/server/testing/hostile-input.ts";
import { type OperationName, samples } from "@/lib/server/testing/operation-samples.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import { renewSpares } from "@/lib/server/testing/renew-spares.ts";
import { createSampleWorld } from "@/lib/server/testing/sample-world.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import { argsOf, requestOf } from "./client-calls.ts";
import { fixedValues } from "./fixed-values.ts";

const FILE = "components/docs/recorded-examples.json";

/** Other systems' names of members, and filters that would find nothing here. */
const SPARE = ["page", "offset", "pageSize", "format", "includeTest", "search", "since", "until"];
const MORE_SPARE: Record<string, string[]> = {
  listRequests: ["moneyStatus", "httpStatus", "payer"],
  listWebhookDeliveries: ["status", "type"],
  getPlanAgents: ["origin"],
};

function readable(name: string, input: Record<string, unknown>): Record<string, unknown> {
  const spare = [...SPARE, ...(MORE_SPARE[name] ?? [])];
  const { extra } = (input.accepted ?? {}) as { extra?: Record<string, unknown> };
  // It is beside `extra` already.
  if (extra) delete extra.planId;
  return Object.fromEntries(Object.entries(input).filter(([member]) => !spare.includes(member)));
}

async function record(): Promise<Record<string, Recorded>> {
  const database = await openDatabase({});
  const service = createTestService(database, { cards: pretendCards });
  const world = await createSampleWorld(service);
  const recorded: Record<string, Recorded> = {};
  for (const [name, row] of Object.entries<Operation>({ ...operations, ...sandbox })) {
    await renewSpares(world);
    const input = readable(name, samples[name as OperationName](world));
    const answer = await callOperation(service, world.builder, name as OperationName, input);
    const body: unknown = await answer.json();
    if (answer.status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`);
    const fixed = fixedValues(row.path);
    const given = fixed(input) as Record<string, unknown>;
    const args = await argsOf(name, row, given);
    recorded[name] = {
      request: requestOf(row, given),
      ...(args && { args }),
      answer: fixed(body),
    };
  }
  await database.close();
  return recorded;
}

const lines = Object.entries(await record()).map(
  ([name, example]) => `${JSON.stringify(name)}: ${JSON.stringify(example)}`,
);
writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
process.exit(0);
