import { getAddress } from "viem";
import { describe, expect, test, vi } from "vitest";
import { mintCreditsOnChain } from "@/lib/adapters/chain/testing/mint-credits.ts";
import { openTestPglite } from "@/lib/adapters/db/testing/stores.ts";
import { useChainMarket } from "../testing/use-chain-market.ts";

describe("a balance that differs", () => {
  const at = useChainMarket(openTestPglite);

  test("is logged when it begins to differ and when it differs by more, not each minute", async () => {
    const { service, market } = at;
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
});
