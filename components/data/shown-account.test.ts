import { expect, test, vi } from "vitest";
import { ACCOUNT_HEADER, withAccount } from "./shown-account.ts";

test("every request to this site names the account that the page shows", async () => {
  const send = vi.fn(async (_: RequestInfo | URL, _init?: RequestInit) => new Response());
  let account: string | undefined = "0xA";
  const fetch = withAccount(send, () => account);
  const sent = () => new Headers(send.mock.lastCall?.[1]?.headers);

  await fetch("/plans?q=1", { method: "POST", headers: { "next-action": "1" } });
  expect(Object.fromEntries(sent())).toEqual({ "next-action": "1", [ACCOUNT_HEADER]: "0xA" });
  expect(send.mock.lastCall?.[1]?.method).toBe("POST");
  await fetch("/data/getHome?");
  expect(sent().get(ACCOUNT_HEADER)).toBe("0xA");

  for (const foreign of ["https://rpc.example", "//evil.example", new URL("https://a.example")]) {
    await fetch(foreign, { method: "POST" });
    expect([...sent()]).toEqual([]);
  }
  account = undefined;
  await fetch("/plans", { method: "POST" });
  expect([...sent()]).toEqual([]);
});
