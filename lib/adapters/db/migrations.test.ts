import { rmSync } from "node:fs";
import { KEY_PRESETS } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { createApiKeys } from "./api-keys.ts";
import { copyMigrations, oldStores } from "./testing/old-database.ts";

const ACCOUNT = "0x00000000000000000000000000000000000000A1";
const LAST_BEFORE_BUYER_KEYS = 63;
const LAST_BEFORE_OWED_SUMS = 75;
/** What the preset Buyer included until then. */
const BUYER_RIGHTS = { orders: "write", tokens: "write", delegations: "write", cards: "read" };

const insertKey = (keyId: string, preset: string, more: { scopes?: object; revoked?: boolean }) => `
  insert into api_keys (key_id, hash, account, name, last4, created_at, expires_at, revoked_at, preset, scopes)
  values ('${keyId}', '${keyId}', '${ACCOUNT}', '${keyId}', 'last', now(), now() + interval '1 day',
    ${more.revoked ? "now()" : "null"}, '${preset}', ${more.scopes ? `'${JSON.stringify(more.scopes)}'` : "null"})`;

describe.each(oldStores())("migrations of rows on $name", ({ openOld }) => {
  test("keys that were made as Buyer keep the rights they had, and new ones get those of today", async () => {
    const migrations = copyMigrations(LAST_BEFORE_BUYER_KEYS);
    const { session, upgrade } = await openOld(migrations);
    rmSync(migrations, { recursive: true });
    await session.exec(
      `insert into accounts (address, owner, is_operator, created_at) values ('${ACCOUNT}', '${ACCOUNT}', false, now())`,
    );
    const custom = { orders: "read" };
    const keys = {
      buyer: ["buyer", {}],
      "revoked buyer": ["buyer", { revoked: true }],
      custom: ["custom", { scopes: custom }],
      gate: ["gate", {}],
      read: ["read", {}],
      full: ["full", {}],
    } as const;
    for (const [keyId, [preset, more]] of Object.entries(keys)) {
      await session.exec(insertKey(keyId, preset, more));
    }
    const database = await upgrade();
    await database.query(insertKey("new buyer", "buyer", {}), []);
    const found = await createApiKeys(database.orm).list(ACCOUNT);
    const rights = found.map(({ keyId, preset, scopes }) => [keyId, { preset, scopes }]);
    expect(Object.fromEntries(rights)).toEqual({
      buyer: { preset: "custom", scopes: BUYER_RIGHTS },
      "revoked buyer": { preset: "custom", scopes: BUYER_RIGHTS },
      custom: { preset: "custom", scopes: custom },
      gate: { preset: "gate", scopes: null },
      read: { preset: "read", scopes: null },
      full: { preset: "full", scopes: null },
      "new buyer": { preset: "buyer", scopes: null },
    });
    expect(KEY_PRESETS.buyer).toMatchObject({ ...BUYER_RIGHTS, calls: "read" });
    await database.close();
  });

  test("a sale that a replica of 0.1.0 wrote without a clearing gets one, and counts as not cleared", async () => {
    const migrations = copyMigrations(LAST_BEFORE_OWED_SUMS);
    const { session, upgrade } = await openOld(migrations);
    rmSync(migrations, { recursive: true });
    await session.exec(`set session_replication_role = replica;
      insert into orders (order_id, account, plan_id, plan_version, is_trial, status, scheme, price, currency, reserved_cents,
          reserved_amount, fingerprint, attempt, created_at, updated_at)
        values ('late', '${ACCOUNT}', '7', 1, false, 'minted', 'svc:card-delegation', 5, 'usd', 0, 0, '', 1, now(), now());
      insert into payables (order_id, owner, receiver, currency, kind, amount, created_at)
        values ('late', '${ACCOUNT}', '${ACCOUNT}', 'usd', 'earned', 5, now() - interval '40 days');
      reset session_replication_role`);
    const database = await upgrade();
    expect(await database.query("select order_id, available_on from clearings", [])).toEqual([
      { order_id: "late", available_on: null },
    ]);
    const [owed] = await database.query("select * from sums_owed($1)", [ACCOUNT]);
    expect(owed).toMatchObject({ amount: 5n, cleared: 0n });
    await database.close();
  });
});
