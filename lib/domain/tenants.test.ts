import type { InputOf, Operation, Tenancy } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { countRows } from "@/lib/server/testing/count-rows.ts";
import { callOperation } from "@/lib/server/testing/hostile-input.ts";
import {
  allOperations,
  allRows,
  type OperationName,
  samples,
} from "@/lib/server/testing/operation-samples.ts";
import { pretendCards } from "@/lib/server/testing/pretend-rail.ts";
import { createSampleWorld, type SampleWorld } from "@/lib/server/testing/sample-world.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const namesWith = (...wanted: Tenancy[]): OperationName[] =>
  allRows.filter(([, { tenancy }]) => wanted.includes(tenancy)).map(([name]) => name);

describe.each(ruleStores())("three tenants on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let first: SampleWorld;
  let second: SampleWorld;
  let third: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    first = await createSampleWorld(service);
    second = await createSampleWorld(service);
    third = await service.party();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test.each(namesWith("not found"))(
    "%s of another's row is 404, as of none, and changes nothing",
    async (name) => {
      const { spare } = first;
      // The row names a stranger may know are taken as they are; the others are guessed right.
      const theirs = samples[name](first);
      const row: Operation = allOperations[name];
      const before = await countRows(database);
      for (const stranger of [second.builder, third, second.subscriber]) {
        const answer = await callOperation(service, stranger, name, theirs);
        const body = await answer.json();
        expect([name, answer.status, body.code]).toEqual([name, 404, "not_found"]);
        expect(JSON.stringify(body)).not.toContain(first.builder.address);
        const member = /:(\w+)/.exec(row.path)?.[1];
        if (!member) continue;
        const none = { ...theirs, [member]: "123456789012345678" };
        const missing = await callOperation(service, stranger, name, none);
        const { message, requestId: _, ...rest } = await missing.json();
        const same = String(message).replace("123456789012345678", String(theirs[member]));
        const { requestId: __, ...theirRest } = body;
        expect({ ...rest, message: same }).toEqual(theirRest);
      }
      expect(await countRows(database)).toEqual(before);
      expect(await service.ports.plans.find(spare.planId)).toMatchObject({ version: 1 });
    },
  );

  test.each(namesWith("own rows"))(
    "T29: %s shows a stranger none of another's rows",
    async (name) => {
      const [ofFirst, ofSecond, ofThird] = await Promise.all(
        [first.builder, second.builder, third].map(async (party) => {
          const query = { ...samples[name](first), limit: undefined, planId: undefined };
          const input = JSON.parse(JSON.stringify(query));
          return (await callOperation(service, party, name, input)).text();
        }),
      );
      for (const secret of identityOf(first)) {
        expect(ofSecond).not.toContain(secret);
        expect(ofThird).not.toContain(secret);
      }
      for (const secret of identityOf(second)) expect(ofFirst).not.toContain(secret);
    },
  );

  test("an agent's plans are its own links alone, and a token is for a linked agent alone", async () => {
    for (const { builder, agentId, planId, spare } of [first, second]) {
      const plansOf = async (id: string) => (await builder.payments.agents.getAgent(id)).plans;
      expect(await plansOf(agentId)).toEqual([planId]);
      expect(await plansOf(spare.agentId)).toEqual([]);
    }
    const crossed = await service.call(third, "POST", "/x402/permissions", {
      accepted: { planId: first.planId, extra: { agentId: second.agentId } },
    });
    expect([crossed.status, (await crossed.json()).details?.[0].path]).toEqual([
      422,
      "accepted.extra.agentId",
    ]);
  });

  test("T29: a list filtered by another's plan shows none of its rows", async () => {
    const { planId } = first;
    for (const [name, more] of [
      ["listTokens", {}],
      ["listRequests", { role: "builder" }],
      ["listRequests", { role: "subscriber" }],
    ] as const) {
      const answer = await callOperation(service, second.builder, name, { planId, ...more });
      expect(await answer.json()).toMatchObject({ items: [], total: 0 });
    }
  });

  test.each(namesWith("refused"))("T16: %s of another's plan is invalid_plan", async (name) => {
    for (const stranger of [second.builder, third]) {
      const answer = await callOperation(service, stranger, name, samples[name](first));
      const body = await answer.json();
      expect(body.invalidReason ?? body.errorReason).toBe("invalid_plan");
      expect(JSON.stringify(body)).not.toContain(first.subscriber.address);
    }
  });

  test("everyone's rows show the seller's side alone: no subscriber, no key, no session", async () => {
    for (const name of [
      "listPublicPlans",
      "getPlan",
      "getPlanAgents",
      "getAgent",
      "getAgentPlans",
    ] as const) {
      const text = await (await callOperation(service, third, name, samples[name](first))).text();
      for (const secret of [first.subscriber.address, ...identityOf(first).slice(2)]) {
        expect(text).not.toContain(secret);
      }
    }
  });

  test("T29: a stranger mints only for itself, under its own delegation, and pays only itself", async () => {
    const { planId, agentId, spare } = first;
    const input: InputOf<"getX402AccessToken"> = {
      accepted: { planId, extra: { agentId } },
      delegationConfig: { delegationId: spare.delegationId },
    };
    const stolen = await service.call(third, "POST", "/x402/permissions", input);
    expect([stolen.status, (await stolen.json()).code]).toEqual([404, "not_found"]);
    const order = await service.call(third, "POST", `/protocol/plans/${planId}/order`, {
      delegationId: spare.delegationId,
    });
    expect([order.status, (await order.json()).code]).toEqual([404, "not_found"]);
    const own = await service.call(third, "POST", "/x402/permissions", {
      ...input,
      delegationConfig: {},
      from: first.subscriber.address,
      account: first.subscriber.address,
    });
    const { tokenId } = await own.json();
    expect(await service.ports.tokens.find(tokenId)).toMatchObject({ account: third.address });
  });

  test("T16: request ids are each builder's own: the same id settles once for each", async () => {
    const agentRequestId = "shared-request-0001";
    for (const world of [first, second]) {
      const answer = await callOperation(service, world.builder, "settlePermissions", {
        ...samples.settlePermissions(world),
        agentRequestId,
      });
      expect(await answer.json()).toMatchObject({ success: true, planId: world.planId });
    }
    for (const world of [first, second]) {
      const read = await service.call(world.builder, "GET", `/requests/${agentRequestId}`);
      expect(await read.json()).toMatchObject({ planId: world.planId });
    }
  });

  test("T29: members that name an owner or a role are ignored: what is made is the caller's own", async () => {
    const assigned = { owner: first.builder.address, account: first.builder.address };
    const more = { ...assigned, isOperator: true, planId: first.planId, version: 9 };
    const plan = { ...samples.registerCreditsPlan(first), ...more };
    const answer = await callOperation(service, third, "registerCreditsPlan", plan);
    const { planId } = await answer.json();
    expect(planId).not.toBe(first.planId);
    expect(await service.ports.plans.find(planId)).toMatchObject({
      owner: third.address,
      version: 1,
    });
    const account = await service.ports.accounts.find(third.address);
    expect(account).toMatchObject({ isOperator: false });
  });
});

/** Ids and addresses by which a tenant's rows are known. */
const identityOf = ({ builder, planId, spare }: SampleWorld): string[] => [
  builder.address,
  planId,
  spare.tokenId,
  spare.delegationId,
  spare.keyId,
  spare.orderId,
];
