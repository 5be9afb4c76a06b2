import { expect, test } from "vitest";
import type { GrantStore, RevocationQueue } from "@/lib/domain/chain-ports.ts";
import { revokeOnChain } from "./revocations.ts";

type Options = Parameters<typeof revokeOnChain>[0];

test("a revocation that the chain does not take is put off, and told with its cause", async () => {
  const put: [string, string][] = [];
  const told: object[] = [];
  const queue: RevocationQueue = {
    listDue: async () => [{ delegationId: "d1", account: "0x1", dueAt: new Date(0) }],
    markDone: async () => {},
    putOff: async (delegationId, reason) => void put.push([delegationId, reason]),
  };
  const replaced: string[] = [];
  const store: Partial<GrantStore> = {
    listOfDelegation: () => Promise.reject(new Error("The node is away.")),
    listReplaced: async () => [{ grantId: "g1", account: "0x2" }],
    markReplaced: async (grantId) => void replaced.push(grantId),
  };
  const done = await revokeOnChain({
    operator: { deployment: { periodLimits: "0x3" } } as unknown as Options["operator"],
    grants: {
      ownerKey: () => Promise.reject(new Error("The key can't be read.")),
    } as unknown as Options["grants"],
    store: store as GrantStore,
    queue,
    onPutOff: (what) => told.push(what),
  });
  expect(done).toBe(0);
  expect(put).toEqual([["d1", "Error: The node is away."]]);
  expect(replaced).toEqual(["g1"]);
  expect(told).toEqual([
    { delegationId: "d1", cause: "Error: The node is away." },
    { grantId: "g1", cause: expect.stringContaining("Error: ") },
  ]);
});
