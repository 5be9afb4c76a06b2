import { describe, expect, test } from "vitest";
import { browser, signIn } from "@/app/_session/testing/browser.ts";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { removePaymentMethod } from "./actions.ts";

describe("removing a card", () => {
  const at = useCardService(openRuleStore);

  test("again, after its answer was lost, is done and not refused", async () => {
    const { subscriber, card } = await openCardShop(at.service);
    await signIn(at.service, subscriber);
    expect(await removePaymentMethod(card)).toMatchObject({ ok: true, data: { removed: true } });
    expect(await removePaymentMethod(card)).toMatchObject({ ok: true, data: { removed: true } });
    expect(await subscriber.payments.delegation.listPaymentMethods()).toEqual([]);
    browser.cookie = undefined;
    expect(await removePaymentMethod(card)).toMatchObject({ ok: false, code: "unauthorized" });
  });
});
