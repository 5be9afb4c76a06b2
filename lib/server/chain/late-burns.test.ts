import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  PlanRedemptionType,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket } from "../testing/test-service.ts";
import { useChainMarket } from "../testing/use-chain-market.ts";

const YEAR_SECS = 365 * 86_400;

describe("burns that wait for longer than their grant lasts, as without gas", () => {
  const at = useChainMarket(openRuleStore, { order: false });

  test("go on chain under a new grant, and fail where only a wallet could sign it", async () => {
    const { database, service, receiver } = at;
    const sell = async (credits = getFixedCreditsConfig(100n, 1n)) => {
      const { builder, subscriber, planId, agentId, endpoint, token } = await createMarket(
        service,
        {
          price: getCryptoPriceConfig(1_000_000n, receiver, service.usdc),
          credits,
        },
      );
      const call = () =>
        builder.payments.facilitator.settlePermissions({
          paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
          x402AccessToken: token,
        });
      await call();
      return { subscriber, planId, call };
    };
    const [held, walled] = [await sell(), await sell()];
    const redemptionType = PlanRedemptionType.ONLY_OWNER;
    const owned = await sell({ ...getFixedCreditsConfig(100n, 1n), redemptionType });
    await service.untilMirrored();
    await service.onChain.bundler.stop();
    const first = await sell();
    await held.call();
    await walled.call();
    await owned.call();
    await database.query("update accounts set owner_key = null where address = $1", [
      walled.subscriber.address,
    ]);
    await service.ports.clock.advance(YEAR_SECS);
    await service.advanceChain(YEAR_SECS);
    await service.restart();
    await service.untilMirrored();
    const statusOf = ({ planId }: typeof held) =>
      database.query(
        `select chain_status as status, last_error as error from settlements join outbox on ref = settlement_id
         where plan_id = $1 order by settlement_id`,
        [planId],
      );
    const included = { status: expect.stringMatching(/^(included|final)$/), error: null };
    expect(await statusOf(held)).toEqual([included, included]);
    expect(await statusOf(owned)).toEqual([included, included]);
    const grants = "select 1 from chain_grants where kind = 'redeem'";
    expect(await database.query(grants, [])).toHaveLength(2);
    expect(await statusOf(first)).toEqual([included]);
    expect(await statusOf(walled)).toEqual([
      included,
      { status: "failed", error: expect.stringContaining("GrantEnded") },
    ]);
  });
});
