import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GrantRow } from "@/lib/domain/chain-ports.ts";
import { createAccounts } from "../accounts.ts";
import type { Database } from "../client.ts";
import { ruleStores } from "../testing/stores.ts";
import { createChainGrants } from "./chain-grants.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const GRANT: GrantRow = {
  grantId: "",
  account: address("a"),
  kind: "delegation",
  delegationId: "shared",
  orderToken: address("0"),
  orderLimit: 1_000_000n,
  sessionKeyAddress: address("b"),
  sessionKey: "sealed",
  signed: "0x",
  validUntil: new Date("2100-01-01"),
  createdAt: new Date("2026-01-01"),
  replacedAt: null,
  revokedAt: null,
};

describe.each(ruleStores())("the grants of an account, $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    const { account, createdAt } = GRANT;
    const unnamed = { owner: account, ownerKey: null, isOperator: false };
    await createAccounts(database.orm).ensure({ address: account, ...unnamed, createdAt });
  });
  afterAll(() => database.close());

  test("a session key is found in each grant that has it, until the last of them is erased", async () => {
    const grants = createChainGrants(database.orm);
    const { sessionKeyAddress: shared } = GRANT;
    const tokens = { first: address("1"), second: address("2"), third: address("3") };
    for (const [grantId, orderToken] of Object.entries(tokens)) {
      await grants.insert({ ...GRANT, grantId, orderToken });
    }
    const left = [];
    for (const grantId of Object.keys(tokens)) {
      expect(await grants.findBySessionKey(shared)).toMatchObject({ sessionKey: "sealed" });
      expect(await grants.eraseUnused(grantId)).toBe(true);
      left.push((await grants.findBySessionKey(shared))?.grantId);
    }
    expect(left).toEqual([expect.any(String), "third", undefined]);
    expect(await grants.find("first")).toMatchObject({ sessionKey: "" });
  });
});
