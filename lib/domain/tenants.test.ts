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
  let ofFirst: string[];
  let ofSecond: string[];

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    first = await createSampleWorld(service);
    second = await createSampleWorld(service);
    third = await service.party();
    ofFirst = await addRows(database, first, `0x${"1".repeat(40)}`);
    ofSecond = await addRows(database, second, `0x${"2".repeat(40)}`);
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
      const isRead = (allOperations[name] as Operation).method === "GET";
      const asked = JSON.stringify({ ...samples[name](first), ...(isRead && NO_FILTERS) });
      const answerTo = async (party: TestParty) =>
        (await callOperation(service, party, name, JSON.parse(asked))).text();
      // Strangers first: what they change of another's is missing from the owner's own answer.
      const strangers = [await answerTo(third), await answerTo(second.builder)];
      const own = await answerTo(first.builder);
      const echoed = (secret: string) => asked.includes(secret);
      const secrets = ofFirst.filter((secret) => !echoed(secret));
      if (NAMELESS.has(name)) {
        expect(own).toMatch(SOMETHING);
        expect(strangers[0]).not.toMatch(SOMETHING);
      } else expect(secrets.filter((secret) => own.includes(secret))).not.toEqual([]);
      for (const secret of secrets) {
        for (const answer of strangers) expect(answer).not.toContain(secret);
      }
      for (const secret of ofSecond) expect(own).not.toContain(secret);
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
  spare.renewingDelegationId,
  spare.endpointId,
  spare.shareId,
  spare.alertRuleId,
  spare.settledId,
];

/** What a list's sample leaves rows out by. */
const NO_FILTERS = {
  ...{ limit: undefined, offset: undefined, pageSize: undefined, planId: undefined },
  ...{ name: undefined, state: undefined, search: undefined, payer: undefined },
  ...{ moneyStatus: undefined, httpStatus: undefined },
};

/** Operations whose answers name no row, or only what was asked for; and what they have of a tenant's rows. */
const NAMELESS = new Set<OperationName>([
  ...(["renewPermissions", "revokeAllDelegations", "reportRequests", "getActivitySeries"] as const),
  ...(["getFunnel", "getDelegationTotals", "listStatements", "search"] as const),
]);
const SOMETHING = /"(?!bucketSecs)[\w-]+":[1-9]|"sums"|"held"|"href"/;

/** Adds to a tenant what a sample world lacks; everything by which their rows are known. */
async function addRows(
  database: Database,
  world: SampleWorld,
  treasury: string,
): Promise<string[]> {
  const { builder, subscriber, planId, agentId, spare } = world;
  const { payments, address } = builder;
  const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
    leaseSecs: 30,
  });
  world.token = accessToken;
  const [request] = (samples.reportRequests(world) as InputOf<"reportRequests">).requests;
  await payments.requests.reportRequests({
    batchId: world.freshId(),
    requests: [{ ...request, httpStatus: 200, moneyStatus: "delivered-unsettled" } as never],
  });
  await payments.budgets.setBudgets({ allow: { builders: [address] } });
  for (const to of [treasury, subscriber.address]) {
    await builder.money.addWithdrawalAddress({ address: to, name: "Treasury" });
  }
  await database.query(
    `insert into alerts (alert_id, account, rule_id, kind, object, measure, name, value, threshold, email, webhook, created_at)
     values ($1, $2, $3, 'key-expiring', $4, '', 'spare', '1', 30, false, false, now())`,
    [`alert ${planId}`, address, spare.alertRuleId, spare.keyId],
  );
  const payouts = (await payments.money.listPayouts()).items.map(({ payoutId }) => payoutId);
  const agents = [agentId, spare.agentId, spare.endingAgentId];
  const { unconfirmed = "" } = await builder.email.getEmailAddress();
  return [...identityOf(world), ...agents, subscriber.address, ...payouts, unconfirmed, treasury];
}
