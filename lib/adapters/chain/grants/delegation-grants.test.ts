import { getAddress } from "viem";
import { expect, test } from "vitest";
import type { GrantRow, GrantStore, ScopedBudgets } from "@/lib/domain/chain-ports.ts";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import type { Deployment } from "../deployment.ts";
import { createDelegationGrants } from "./delegation-grants.ts";
import type { GrantTerms } from "./grant.ts";
import type { GrantSubject, SignedGrants } from "./signed-grants.ts";

const TOKEN = getAddress(`0x${"11".repeat(20)}`);
const DELEGATION = {
  delegationId: "d1",
  account: "0xa",
  planIds: [],
  spendingLimitCents: 1_000n,
  orderLimit: null,
  sessionKeyAddress: "0xs",
  sessionKey: "sealed",
  expiresAt: new Date("2027-01-01T00:00:00Z"),
} as unknown as DelegationRecord;
const perDay = (limit: string): ScopedBudgets => ({
  scope: "d1",
  document: { currency: "usd", limits: [{ period: "day", unit: "money", limit }] },
});

const now = new Date("2026-12-01T00:00:00Z");

/** Grants in memory; `reads` are the budgets as each read finds them, the last one from then on. */
function open(reads: ScopedBudgets[][], deployment: Partial<Deployment> = { periodLimits: TOKEN }) {
  const rows: GrantRow[] = [];
  const signed: (GrantSubject & { terms: GrantTerms })[] = [];
  const store = {
    listOfDelegation: async () => [...rows],
    committed: async () => 4_000_000n,
    budgetsOf: async () => (reads.length > 1 ? reads.shift() : reads[0]) ?? [],
    markReplaced: async (grantId: string) => {
      for (const row of rows) if (row.grantId === grantId) row.replacedAt = new Date();
    },
  } as unknown as GrantStore;
  const grants = {
    read: async ({ grantId }: GrantRow) => ({ grantId }),
    sign: async (subject: GrantSubject, terms: GrantTerms) => {
      signed.push({ ...subject, terms });
      const validUntil = new Date(terms.validUntil * 1_000);
      rows.push({ ...subject, orderToken: TOKEN, validUntil, replacedAt: null } as GrantRow);
      return { grantId: subject.grantId };
    },
  } as unknown as SignedGrants;
  let keys = 0;
  const made = createDelegationGrants(
    {
      deployment: deployment as Deployment,
      store,
      stableTokens: new Map([[TOKEN.toLowerCase(), "USD"]]),
      now: async () => now,
      createKey: () => ({ address: `0xk${++keys}`, sealedKey: "sealed" }),
    },
    grants,
  );
  return { ...made, signed, rows, replace: store.markReplaced };
}

test("a budget that is set while a grant is signed is in the grant that is used", async () => {
  const { ofDelegation, signed, rows } = open([[], [perDay("300")]]);
  const { grantId } = await ofDelegation(DELEGATION, TOKEN);
  expect(signed.map(({ kind }) => kind)).toEqual(["delegation", "order"]);
  expect(rows[0]?.replacedAt).not.toBeNull();
  expect(grantId).toBe(signed[1]?.grantId);
  expect(signed[1]?.terms).toMatchObject({
    permissions: ["order"],
    orderLimit: 6_000_000n,
    periodLimits: [{ period: "day", limit: 3_000_000n }],
  });
  expect(signed[1]?.sessionKeyAddress).toBe("0xk1");
});

test("replaced grants stay in use where the contract of periods is not deployed", async () => {
  const { ofDelegation, forBurns, signed, replace } = open([[perDay("300")]], {});
  const { grantId } = await ofDelegation(DELEGATION, TOKEN);
  await replace(grantId);
  await ofDelegation(DELEGATION, TOKEN);
  await forBurns("d1", async () => ({ delegation: DELEGATION, token: TOKEN }));
  expect(signed.map(({ kind }) => kind)).toEqual(["delegation"]);
});

test("burns of a delegation with a budget have a key that can't order", async () => {
  const { ofDelegation, forBurns, signed } = open([[perDay("300")]]);
  const read = async () => ({ delegation: DELEGATION, token: TOKEN });
  await forBurns("d1", read);
  await ofDelegation(DELEGATION, TOKEN);
  await forBurns("d1", read);
  expect(
    signed.map(({ kind, terms, sessionKeyAddress }) => [
      kind,
      terms.permissions,
      sessionKeyAddress,
    ]),
  ).toEqual([
    ["burn", ["burn"], "0xk1"],
    ["order", ["order"], "0xk2"],
  ]);
});
