import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { openCardShop } from "./testing/card-shop.ts";
import { useCardService } from "./testing/use-card-service.ts";

describe.each(ruleStores())("declined orders on $name", ({ open }) => {
  const at = useCardService(open);

  test("T29: an order that was declined is its payer's alone, also once they buy", async () => {
    const { builder, subscriber, planId, card } = await openCardShop(at.service, {
      testCard: "pm_card_chargeCustomerFail",
    });
    const { holdings, paymentMethods, plans, money } = subscriber.payments;
    const buy = (providerPaymentMethodId: string) =>
      plans.orderPlan(planId, { providerPaymentMethodId });
    await expect(buy(card)).rejects.toThrow();
    const [declined = ""] = (await holdings.listOrders({ planId })).items.map(
      ({ orderId }) => orderId,
    );
    const foundBy = async ({ figures }: typeof builder, q: string) =>
      (await figures.search(q)).items.filter(({ kind }) => kind === "order").map(({ id }) => id);
    for (const text of ["By card", declined]) {
      expect(await foundBy(builder, text)).toEqual([]);
      expect(await foundBy(subscriber, text)).toEqual([declined]);
    }
    await expect(builder.payments.money.getRefundable(declined)).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await money.getRefundable(declined)).toMatchObject({ left: "0" });

    const saved = await paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" });
    const { orderId } = await buy(saved.paymentMethodId ?? "");
    const { recentOrders } = await builder.figures.getCustomer({ address: subscriber.address });
    expect(recentOrders.map((order) => order.orderId)).toEqual([orderId]);
    expect(await foundBy(builder, "By card")).toEqual([orderId]);
    expect(await builder.payments.money.getRefundable(orderId ?? "")).toMatchObject({
      left: "5000000",
    });
  });
});
