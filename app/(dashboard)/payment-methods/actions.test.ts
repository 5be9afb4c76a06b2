import { describe, expect, test, vi } from "vitest";
import { browser } from "@/app/_session/testing/browser.ts";
import { openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { openTestPglite } from "@/lib/adapters/db/testing/stores.ts";
import { openSession } from "@/lib/domain/accounts/sessions.ts";
import { setRunning } from "@/lib/server/running.ts";
import { removePaymentMethod } from "./actions.ts";

vi.mock(
  "@/app/_session/cookies.ts",
  async () => (await import("@/app/_session/testing/browser.ts")).cookiesModule,
);
vi.mock(
  "next/headers",
  async () => (await import("@/app/_session/testing/browser.ts")).headersModule,
);
vi.mock(
  "next/navigation",
  async () => (await import("@/app/_session/testing/browser.ts")).navigationModule,
);
vi.mock("next/cache", async () => (await import("@/app/_session/testing/browser.ts")).cacheModule);

describe("removing a card", () => {
  const at = useCardService(openTestPglite);

  test("again, after its answer was lost, is done and not refused", async () => {
    const { ports, pipeline } = at.service;
    const { subscriber, card } = await openCardShop(at.service);
    browser.origin = "http://service.test";
    browser.cookie = (await openSession(ports, subscriber.address, "demo")).token;
    setRunning(Promise.resolve({ env: { origin: browser.origin }, ports, pipeline } as never));
    expect(await removePaymentMethod(card)).toMatchObject({ ok: true, data: { removed: true } });
    expect(await removePaymentMethod(card)).toMatchObject({ ok: true, data: { removed: true } });
    expect(await subscriber.payments.delegation.listPaymentMethods()).toEqual([]);
    browser.cookie = undefined;
    expect(await removePaymentMethod(card)).toMatchObject({ ok: false, code: "unauthorized" });
  });
});
