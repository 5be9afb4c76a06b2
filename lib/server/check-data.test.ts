import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sealUnbound } from "@/lib/adapters/crypto/testing/seal-unbound.ts";
import { listSettlers } from "@/lib/adapters/db/chain/settlers.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { Hex } from "@/lib/domain/chain-ports.ts";
import { checkData, createAccountCheck, createSecretCheck } from "./check-data.ts";
import { createLedgerComparison } from "./comparison/ledger-comparison.ts";
import { createHealth } from "./create-health.ts";
import { createMarket, createTestService } from "./testing/test-service.ts";
import { rotateKeys } from "./tools/rotate-keys.ts";

const [ownKey, otherKey] = [randomBytes(32), randomBytes(32)] as const;
const PLANS = "0x1111111111111111111111111111111111111111";
const madeFor = { environment: "live", chainId: 8453, plans: PLANS };

describe.each(ruleStores())("data of another deployment on $name", ({ open }) => {
  let database: Database;
  let builder: { address: string; ownerKey: string };
  beforeAll(async () => {
    database = await open();
    ({ builder } = await createMarket(createTestService(database, { secretKey: ownKey })));
  });
  afterAll(() => database.close());

  const start = (changes: Partial<typeof madeFor>, ...secretKeys: Uint8Array[]) =>
    checkData({
      database,
      secretKeys,
      madeFor: { ...madeFor, ...changes },
      cardAccount: null,
      as: "service",
    });

  test("secrets sealed under another root key stop the start, whatever their release", async () => {
    await expect(start({}, otherKey)).rejects.toThrow(
      /TURNPIKE_SECRET_KEY does not open .*session keys.*NEW,OLD/,
    );
    await expect(start({}, otherKey, ownKey)).resolves.toBeUndefined();
    await database.query("update accounts set owner_key = $2 where address = $1", [
      builder.address,
      sealUnbound(ownKey, builder.ownerKey, "account-owner"),
    ]);
    await expect(start({}, ownKey)).resolves.toBeUndefined();
    await expect(start({}, otherKey)).rejects.toThrow(/owner keys/);
  });

  test("a replica that lacks the root key which others seal with is degraded until it has it", async () => {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const comparison = createLedgerComparison(database, () => 0);
    const healthWith = async (...secretKeys: Uint8Array[]) => {
      const secrets = createSecretCheck({ database, secretKeys });
      await secrets.work.run();
      const parts = { database, onChain: undefined, onCards: null, comparison, secrets };
      return createHealth(parts, "sandbox", () => 0, log)();
    };
    expect(await healthWith(ownKey)).toMatchObject({ status: "ok" });
    await rotateKeys({ database, rootKeys: [otherKey, ownKey] });
    const degraded = expect.stringMatching(/TURNPIKE_SECRET_KEY does not open .*NEW,OLD/);
    expect(await healthWith(ownKey)).toMatchObject({
      status: "degraded",
      checks: { database: { degraded } },
    });
    expect(await healthWith(ownKey, otherKey)).toMatchObject({ status: "ok" });
    await rotateKeys({ database, rootKeys: [ownKey, otherKey] });
  });

  test("other contracts, another chain and another environment stop it, and the first ones stay", async () => {
    const other = "0x2222222222222222222222222222222222222222";
    await expect(start({ plans: other }, ownKey)).rejects.toThrow(
      `made for the contracts of chain 8453 with Plans at ${PLANS}`,
    );
    await expect(start({ chainId: 137 }, ownKey)).rejects.toThrow("chain 137");
    await expect(start({ environment: "sandbox" }, ownKey)).rejects.toThrow(
      "made by a live deployment",
    );
    await expect(
      start({ plans: PLANS.toUpperCase().replace("X", "x") }, ownKey),
    ).resolves.toBeUndefined();
  });

  test("another card account stops it, once the first was recorded", async () => {
    const startAs = (
      cardAccount: string | null,
      changes: Partial<typeof madeFor> = {},
      as: "service" | "tool" = "service",
    ) =>
      checkData({
        database,
        secretKeys: [ownKey],
        madeFor: { ...madeFor, ...changes },
        cardAccount,
        as,
      });
    await expect(startAs("acct_refused", { chainId: 137 })).rejects.toThrow("chain 137");
    // As before this was recorded, or while the processor does not answer.
    await expect(startAs(null)).resolves.toBeUndefined();
    await expect(startAs("acct_of_a_tool", {}, "tool")).resolves.toBeUndefined();
    await expect(startAs("acct_first")).resolves.toBeUndefined();
    await expect(startAs("acct_other", {}, "tool")).rejects.toThrow("acct_first");
    await expect(startAs("acct_other")).rejects.toThrow(
      "are in the Stripe account acct_first, and STRIPE_SECRET_KEY is a key of acct_other",
    );
    for (const known of ["acct_first", null]) await expect(startAs(known)).resolves.toBeUndefined();
  });

  test("an account that the processor did not say at the start is compared once it does", async () => {
    await database.query("update made_for set card_account = 'acct_first'", []);
    const found: (string | undefined)[] = [undefined, "acct_other", "acct_first"];
    const check = createAccountCheck({ database, cardAccount: undefined }, async () =>
      found.shift(),
    );
    await check.work.run();
    expect(check.findDegraded()).toContain("Stripe has not said yet");
    // Stripe is away: plans that are paid on chain are sold.
    expect(check.salesStop()).toBeNull();
    await check.work.run();
    expect(check.findDegraded()).toContain("in the Stripe account acct_first");
    expect(check.salesStop()).toContain("acct_first");
    await check.work.run();
    expect(found).toHaveLength(1);
    const right = createAccountCheck({ database, cardAccount: undefined }, async () => found[0]);
    await right.work.run();
    expect([right.findDegraded(), right.salesStop()]).toEqual([null, null]);
    const known = createAccountCheck({ database, cardAccount: null }, async () => "acct_other");
    await known.work.run();
    expect(known.findDegraded()).toBeNull();
  });

  test("every settler that it started with stays known, and none of a start that was refused", async () => {
    const [first, second, refused] = [
      PLANS,
      PLANS.replaceAll("1", "4"),
      PLANS.replaceAll("1", "5"),
    ];
    const startAs = (settler: string, changes = {}) =>
      checkData({
        database,
        secretKeys: [ownKey],
        madeFor: { ...madeFor, ...changes },
        cardAccount: null,
        settler: settler as Hex,
        as: "service",
      });
    for (const settler of [first, first, second]) await startAs(settler);
    await expect(startAs(refused, { chainId: 137 })).rejects.toThrow("chain 137");
    const listed = async () => {
      const settlers = await listSettlers(database);
      return new Map(settlers.map(({ address, until }) => [address, until]));
    };
    const changed = await listed();
    expect([...changed.keys()].sort()).toEqual([first, second]);
    // The first counts for the hour in which other replicas may still send with it.
    const inAnHour = Date.now() + 3_600_000;
    expect(Math.abs(inAnHour - Number(changed.get(first as Hex)))).toBeLessThan(60_000);
    expect(changed.get(second as Hex)).toBeNull();
    for (const settler of [second, first, first]) await startAs(settler);
    const changedBack = await listed();
    expect(changedBack.get(first as Hex)).toBeNull();
    expect(changedBack.get(second as Hex)).toBeInstanceOf(Date);
  });

  test("a database of an earlier release is recognized by the contract whose events it has read", async () => {
    await database.query("delete from made_for", []);
    await database.query("insert into chain_cursors (contract, block) values ($1, 1)", [PLANS]);
    const other = "0x3333333333333333333333333333333333333333";
    await expect(start({ plans: other }, ownKey)).rejects.toThrow(PLANS);
    await expect(start({}, ownKey)).resolves.toBeUndefined();
  });
});
