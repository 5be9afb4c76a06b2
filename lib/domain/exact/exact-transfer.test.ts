import { randomBytes } from "node:crypto";
import { EXACT, encodeHeader } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { pretendExact } from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const fresh = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

/** Transfers that a stock server settles. The chain is pretended. */
describe.each(ruleStores())("transfers by exact on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let seller: TestParty;
  const { network, asset } = pretendExact();
  const unused = { fault: null, balance: 1_000_000n, block: 1n, gas: 0, runsCode: false };
  const used = { ...unused, fault: "authorization_used" as const };
  const check = vi.fn(async (): Promise<typeof unused | typeof used> => unused);
  const capture = vi.fn(async () => ({ status: "paid" as const, reference: fresh(32) }));

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { exact: { ...pretendExact(), check, capture } });
    seller = await service.party();
  });
  beforeEach(() => {
    check.mockReset().mockResolvedValue(unused);
    capture.mockClear();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** Settles one payment under one id, as often as it is called. */
  function createSettle() {
    const { address: payTo } = seller;
    const offer = { scheme: EXACT, network, asset, amount: "10000", payTo, maxTimeoutSeconds: 60 };
    const times = { validAfter: "0", validBefore: "99999999999" };
    const authorization = {
      from: fresh(20),
      to: payTo,
      value: "10000",
      ...times,
      nonce: fresh(32),
    };
    const payload = { signature: fresh(65), authorization };
    const request = {
      paymentRequired: { x402Version: 2 as const, accepts: [offer] },
      x402AccessToken: encodeHeader({ x402Version: 2, accepted: offer, payload }),
      agentRequestId: fresh(16),
    };
    return async () => {
      const settled = await seller.payments.facilitator.settlePermissions(request);
      return settled.success && settled.transaction;
    };
  }

  test("a settle that is repeated names the transfer of the first, and captures nothing", async () => {
    const settle = createSettle();
    const first = await settle();
    check.mockResolvedValue(used);
    expect(await settle()).toBe(first);
    // What was written answers for a chain that doesn't.
    check.mockRejectedValue(new Error("The node does not answer."));
    expect(await settle()).toBe(first);
    expect(capture).toHaveBeenCalledTimes(1);
  });

  test("a settle that is repeated after its block was replaced captures again, and names that transfer from then on", async () => {
    const settle = createSettle();
    const gone = await settle();
    const again = await settle();
    expect([again, capture.mock.calls.length]).toEqual([expect.stringMatching(/^0x/), 2]);
    expect(again).not.toBe(gone);
    check.mockResolvedValue(used);
    expect(await settle()).toBe(again);
  });
});
