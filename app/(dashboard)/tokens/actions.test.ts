import { expect, test } from "vitest";
import { browser, signIn } from "@/app/_session/testing/browser.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import { mintToken } from "./actions.ts";

test("after minting, the browser's Back reads its pages again", async () => {
  const database = await openRuleStore();
  const service = createTestService(database);
  const { subscriber, planId, agentId } = await createMarket(service);
  await signIn(service, subscriber);
  const before = browser.pagesDropped;
  const minted = await mintToken({ accepted: { planId, extra: { agentId } } }, 3_600);
  expect(minted).toMatchObject({ ok: true });
  expect(browser.pagesDropped).toBe(before + 1);
  await database.close();
});
