import {
  getFixedCreditsConfig,
  type PlanCreditsConfig,
  PlanRedemptionType,
  setRedemptionType,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import type { TestParty } from "../testing/test-service.ts";
import { useChainMarket } from "../testing/use-chain-market.ts";

const QUARTER_SECS = 16 * 60;

describe.each(ruleStores())("orders on chain that are charged no more, $name", ({ open }) => {
  const at = useChainMarket(open, { order: false });

  /** Orders under a delegation while the rail does something else. */
  async function orderWhile(charge: (own: Rail["charge"]) => Rail["charge"], party: TestParty) {
    const { delegationId } = await party.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 5_000n,
      durationSecs: 86_400,
    });
    const rail = at.service.ports.rails.get("svc:erc4337");
    const own = rail.charge;
    rail.charge = charge(own);
    const { orderId, status } = await party.payments.plans
      .orderPlan(at.market.planId, { delegationId })
      .finally(() => {
        rail.charge = own;
      });
    expect(status).toBe("charging");
    return { orderId, delegationId };
  }
  const away = (): Rail["charge"] => async () => {
    throw new Error("The chain is away.");
  };
  async function resolved({ payments }: TestParty, orderId: string, secs = 60) {
    await at.service.ports.clock.advance(secs);
    await resolveOrders(at.service.ports);
    const { status, code } = await payments.plans.getOrder(orderId);
    return code ? `${status}: ${code}` : status;
  }

  test("one whose delegation was revoked before anything was sent is declined, and never paid", async () => {
    const party = await at.service.party();
    const { orderId, delegationId } = await orderWhile(away, party);
    await party.payments.delegation.revokeDelegation(delegationId);
    const had = await at.service.money(at.receiver);
    expect(await resolved(party, orderId)).toBe("declined: delegation_revoked");
    expect((await at.service.money(at.receiver)) - had).toBe(0n);
    // A process that was about to send it finds it closed.
    const [order, plan] = await Promise.all([
      at.service.ports.orders.find(orderId),
      at.service.ports.plans.find(at.market.planId),
    ]);
    if (!order || !plan) throw new Error("The order is gone.");
    const delegation = await at.service.ports.delegations.find(delegationId);
    const late = at.service.ports.rails.get("svc:erc4337").charge(order, plan, delegation);
    await expect(late).rejects.toThrow();
    expect((await at.service.money(at.receiver)) - had).toBe(0n);
  });

  test("one that was not paid within 15 minutes is declined", async () => {
    const party = await at.service.party();
    const { orderId } = await orderWhile(away, party);
    expect(await resolved(party, orderId, QUARTER_SECS)).toBe("declined: not_paid_in_time");
  });

  const lost = (own: Rail["charge"]): Rail["charge"] => {
    return async (...order) => {
      await own(...order);
      throw new Error("The response was lost.");
    };
  };

  test("one that was paid in time is granted, whenever that is found", async () => {
    const party = await at.service.party();
    const { orderId, delegationId } = await orderWhile(lost, party);
    await party.payments.delegation.revokeDelegation(delegationId);
    expect(await resolved(party, orderId, QUARTER_SECS)).toBe("minted");
  });

  describe("when the plan's terms change to credits that its owner burns, and only the owner's wallet can sign", () => {
    /** An order of the terms before, while the rail does something else. */
    async function orderedBefore(charge: (own: Rail["charge"]) => Rail["charge"]) {
      const { builder, planId } = at.market;
      const credits = getFixedCreditsConfig(100n, 1n);
      const change = (creditsConfig: PlanCreditsConfig) =>
        builder.payments.plans.updatePlan(planId, { creditsConfig });
      await change(credits);
      const party = await at.service.party();
      const { orderId } = await orderWhile(charge, party);
      await change(setRedemptionType(credits, PlanRedemptionType.ONLY_OWNER));
      await at.database.query("update accounts set owner_key = null where address = $1", [
        builder.address,
      ]);
      return { party, orderId };
    }

    test("an order that was sent before is granted", async () => {
      const { party, orderId } = await orderedBefore(lost);
      expect(await resolved(party, orderId)).toBe("minted");
    });

    test("an order of the earlier terms is paid, and one of the new terms is declined", async () => {
      const { party, orderId } = await orderedBefore(away);
      expect(await resolved(party, orderId)).toBe("minted");
      await expect(party.payments.plans.orderPlan(at.market.planId)).rejects.toMatchObject({
        details: [{ path: "order", message: "owner_signature" }],
      });
    });
  });
});
