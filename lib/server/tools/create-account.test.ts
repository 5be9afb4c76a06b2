import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { createAccount } from "./create-account.ts";

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

const create = (owner: string, isOperator: boolean) =>
  createAccount(service.ports, { owner, name: "First key", requestId: "test", isOperator });
const wallet = (digit: string) => `0x${digit.repeat(40)}`;

test("a new account is an operator where that was asked for, and may be asked for again", async () => {
  const { address } = await create(wallet("1"), true);
  expect(await service.ports.accounts.find(address)).toMatchObject({ isOperator: true });
  expect(await create(wallet("1"), true)).toMatchObject({ address, apiKey: expect.any(String) });
});

test("an account that exists and is no operator gets no key as one", async () => {
  const { address } = await create(wallet("2"), false);
  const keys = () => database.query("select key_id from api_keys where account = $1", [address]);
  const before = await keys();
  await expect(create(wallet("2"), true)).rejects.toThrow(/exists and is not an operator/);
  expect(await keys()).toEqual(before);
  expect(await service.ports.accounts.find(address)).toMatchObject({ isOperator: false });
});

test("a key for an account that is an operator is created without asking for one", async () => {
  await create(wallet("3"), true);
  const { context } = await create(wallet("3"), false);
  expect(context.caller?.isOperator).toBe(true);
});
