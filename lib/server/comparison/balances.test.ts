import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { mintCreditsOnChain } from "@/lib/adapters/chain/testing/mint-credits.ts";
import { createFindPlanVersion } from "@/lib/adapters/db/chain/chain-orders.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createDifferences } from "@/lib/adapters/db/money/differences.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { planRepairs } from "@/lib/domain/reconciliation/repair.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { createMarket, type TestMarket } from "../testing/test-service.ts";
import { listBalanceRepairs } from "./balance-repairs.ts";

const noRecords = {
  listSince: async () => ({ payments: [], transfers: [], until: null }),
  findPayment: async () => null,
  findTransfer: async () => null,
};

let database: Database;
let service: ChainTestService;
let market: TestMarket;

beforeAll(async () => {
  database = await openRuleStore();
  // The test compares when it wants to.
  service = await startChainTestService(database, undefined, undefined, () => []);
  const { address } = await service.party({ isFunded: false });
  market = await createMarket(service, {
    price: getCryptoPriceConfig(1_000_000n, address, service.usdc),
    credits: getFixedCreditsConfig(100n, 1n),
  });
});
afterAll(async () => {
  await service.stop();
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});

describe("a balance that differs", () => {
  test("is logged when it begins to differ and when it differs by more, not each minute", async () => {
    const { operator, reconcile } = service.onChain;
    const error = vi.spyOn(service.log, "error");
    const mint = (amount: bigint) =>
      mintCreditsOnChain(operator, {
        planId: BigInt(market.planId),
        account: getAddress(market.subscriber.address),
        amount,
        orderId: `a drill of ${amount}`,
      });
    const loggedOf = async (rounds: number) => {
      error.mockClear();
      for (let round = 0; round < rounds; round += 1) await reconcile();
      return error.mock.calls
        .filter(([, message]) => /differ$|failed/.test(message))
        .map(([{ kinds }]) => kinds);
    };
    await mint(5n);
    expect(await loggedOf(3)).toEqual(["mint_unknown 5"]);
    await mint(2n);
    expect(await loggedOf(3)).toEqual(["mint_unknown 7"]);
    expect(service.onChain.salesStop()).not.toBeNull();
  });

  test("is listed for a person by a repair, unless its event is listed", async () => {
    const { repairs, findings, salesStop, reconciler, operator, watch } = service.onChain;
    const plan = () =>
      planRepairs({
        ports: service.ports,
        records: noRecords,
        differences: createDifferences(database),
        scheme: "svc:card-delegation",
        findVersion: createFindPlanVersion(database.orm),
        chain: repairs,
      });
    const planned = await plan();
    expect(planned.map(({ kind, apply }) => [kind, apply])).toEqual([
      ["mint", undefined],
      ["mint", undefined],
    ]);
    for (const { id, proposal } of planned) {
      expect(proposal).toContain("a key is stolen");
      expect(proposal).toContain(`--explain ${id}`);
    }
    expect(await listBalanceRepairs({ reconciler, findings })).toEqual([]);

    // Their explanation is gone, and so is what they explain.
    await operator.client.request({ method: "anvil_mine", params: ["0x64"] } as never);
    await watch();
    await database.query("delete from chain_findings", []);
    expect(await plan()).toEqual([]);
    const listed = await listBalanceRepairs({ reconciler, findings });
    expect(salesStop()).toContain("differ by 7");
    expect(listed).toEqual([
      {
        id: `${market.subscriber.address}:${market.planId}`,
        kind: "balance_differs",
        detail: `${market.subscriber.address} holds 107 credits of plan ${market.planId} on chain, and 100 in the ledger (mint_unknown 7).`,
        proposal: expect.stringContaining("Take wrongly minted credits back on chain"),
      },
    ]);
  });
});
