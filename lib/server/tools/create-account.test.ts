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

test("an account that exists becomes an operator where that was asked for, once", async () => {
  const { address, isPromoted } = await create(wallet("2"), false);
  expect(isPromoted).toBe(false);
  const promoted = await create(wallet("2"), true);
  expect(promoted).toMatchObject({ address, isPromoted: true, apiKey: expect.any(String) });
  expect(promoted.context.caller?.isOperator).toBe(true);
  expect(await service.ports.accounts.find(address)).toMatchObject({ isOperator: true });
  expect(await create(wallet("2"), true)).toMatchObject({ address, isPromoted: false });
  const notes = await database.query(
    "select subject from audit where account = $1 and action = 'account.make-operator'",
    [address],
  );
  expect(notes).toEqual([{ subject: address }]);
});

test("a key for an account that is an operator is created without asking for one", async () => {
  await create(wallet("3"), true);
  const { context } = await create(wallet("3"), false);
  expect(context.caller?.isOperator).toBe(true);
});

test("a stopped account gets no key and no right", async () => {
  const { address } = await create(wallet("4"), false);
  await database.query("update accounts set stopped_at = app_now() where address = $1", [address]);
  await expect(create(wallet("4"), true)).rejects.toThrow(
    `The account ${address} is stopped, so its keys are refused. No key was created. Undo the stop first: see docs/account-requests.md.`,
  );
  const keys = await database.query("select 1 from api_keys where account = $1", [address]);
  expect(keys).toHaveLength(1);
  expect(await service.ports.accounts.find(address)).toMatchObject({ isOperator: false });
});
