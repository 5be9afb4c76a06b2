import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { openCardShop } from "../testing/card-shop.ts";
import { lookAtOrders, openConnectedShop, orderCard } from "../testing/connected-shop.ts";
import { useCardService } from "../testing/use-card-service.ts";

describe.each(ruleStores())(
  "refunds of sales that go on to a builder with their charge, $name",
  ({ open }) => {
    const at = useCardService(open);

    test.each([
      "refund",
      "chargeback",
    ])("a %s after a refund that the earlier release wrote and the processor refused counts once", async (kind) => {
      const { shop, service, held, empty } = await openConnectedShop(at);
      const { orderId, payment } = await orderCard(shop);
      const refill = await empty();
      const refundOf = (amount: bigint) =>
        shop.builder.payments.money.createRefund({ orderId, amount });
      const refused = await refundOf(2_000_000n);
      expect(refused.status).toBe("refused");
      // It wrote what would come back before the refund was made, and evened that out.
      for (const written of ["returned", "paid-out"]) {
        await at.database.query("select write_payables($1, $2, $3, 2000000)", [
          orderId,
          written,
          refused.refundId,
        ]);
      }
      refill();
      if (kind === "refund") expect(await refundOf(2_000_000n)).toMatchObject({ status: "paid" });
      else at.fixture.processor.controls.openDispute(payment, "fraudulent", 200);
      await refreshOrder(service.ports, orderId);
      await lookAtOrders(service);
      expect([await held(), await at.owedTo(shop)]).toEqual([300, 0n]);
    });
  },
);
