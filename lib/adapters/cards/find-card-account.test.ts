import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { findCardAccount } from "./find-card-account.ts";

test("the account of a key is found, and none where the processor does not say it", async () => {
  let status = 200;
  const server = createServer((request, response) => {
    const isAsked = request.method === "GET" && request.url === "/v1/account";
    response.writeHead(isAsked ? status : 404, { "content-type": "application/json" });
    const error = { type: "invalid_request_error", message: "The key may not do this." };
    response.end(JSON.stringify(status === 200 ? { id: "acct_1", object: "account" } : { error }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const settings = { secretKey: "sk_test_1", apiBase: `http://127.0.0.1:${port}` };
  expect(await findCardAccount(settings)).toBe("acct_1");
  // A restricted key without that permission; and a processor that doesn't have the question.
  for (status of [403, 404]) expect(await findCardAccount(settings)).toBeNull();
  status = 500;
  expect(await findCardAccount(settings)).toBeUndefined();
  await new Promise((closed) => server.close(closed));
  expect(await findCardAccount(settings)).toBeUndefined();
  expect(await findCardAccount(undefined)).toBeNull();
});
