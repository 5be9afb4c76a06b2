import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { tampered } from "../testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";
import { createCheckedTokens } from "./checked-tokens.ts";

let database: Database;
let service: TestService;
let market: TestMarket;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
  market = await createMarket(service);
});
afterAll(() => database.close());

/** Another text of the same token: what stock clients add is not signed. */
const textOf = (n: number, objects: number) =>
  tampered(market.token, (document) => {
    Object.assign(document, { extensions: { n, long: Array(objects).fill({}) } });
  });

test("a token is checked once, but one with much that is not signed each time", () => {
  const { inspectToken } = service.ports;
  expect(inspectToken(market.token)).toBe(inspectToken(market.token));
  const long = textOf(0, 1_500);
  expect(inspectToken(long)).toMatchObject({ isSound: true });
  expect(inspectToken(long)).not.toBe(inspectToken(long));
});

test("of endless texts of one token, the newest are kept", () => {
  const texts = Array.from({ length: 30 }, (_, n) => textOf(n, 300));
  const inspectToken = vi.fn(service.ports.inspectToken);
  const check = createCheckedTokens(inspectToken, 10 * (texts[0]?.length ?? 0) + 100);
  for (const text of texts) check(text);
  inspectToken.mockClear();
  for (const text of texts.slice(-5)) check(text);
  expect(inspectToken).not.toHaveBeenCalled();
  for (const text of texts.slice(0, 15)) check(text);
  expect(inspectToken).toHaveBeenCalledTimes(15);
});
