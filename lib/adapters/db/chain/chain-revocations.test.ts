import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { ruleStores } from "../testing/stores.ts";
import { createChainGrants } from "./chain-grants.ts";
import { createRevocationQueue } from "./chain-revocations.ts";

describe.each(ruleStores())("revocations that wait for the chain, $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  test("are put off however often they were tried in vain", async () => {
    await database.query(
      `insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
       values ('chain.revoke', 'long', '{}', 'open', 5000, app_now(), 0, app_now())`,
      [],
    );
    await createRevocationQueue(database).putOff("long", "No gas money.");
    const [row] = await database.query<{ attempts: number; secs: number }>(
      `select attempts, extract(epoch from due_at - app_now())::float8 as secs from outbox where ref = 'long'`,
      [],
    );
    expect(row?.attempts).toBe(5001);
    expect(row?.secs).toBeGreaterThan(290);
  });

  test("are not done while a grant is written that the look at the delegation did not see", async () => {
    const { payments, address } = await createTestService(database).party();
    const { delegationId } = await payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 100n,
      durationSecs: 86_400,
    });
    const grants = createChainGrants(database.orm);
    const write = (digit: string) =>
      grants.insert({
        grantId: `${delegationId}-${digit}`,
        account: address,
        kind: "delegation",
        delegationId,
        orderToken: `0x${digit.repeat(40)}`,
        orderLimit: 1n,
        sessionKeyAddress: `0x${digit.repeat(40)}`,
        sessionKey: "sealed",
        signed: "0x",
        validUntil: new Date("2100-01-01"),
        createdAt: new Date(),
        replacedAt: null,
        revokedAt: null,
      });
    await write("1");
    await payments.delegation.revokeDelegation(delegationId);
    const queue = createRevocationQueue(database);
    const due = async () =>
      (await queue.listDue(10)).find((one) => one.delegationId === delegationId);
    const [before, revoked] = [await due(), `${delegationId}-1`];
    await grants.eraseUnused(revoked);
    await write("2");
    if (before) await queue.markDone(before);
    const late = await due();
    expect(late).toMatchObject({ account: address });
    if (late) await queue.markDone(late);
    expect(await due()).toBeUndefined();
  });
});
