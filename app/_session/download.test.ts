import { PaymentsError } from "@turnpike/payments/protocol";
import { NextRequest } from "next/server";
import { beforeEach, expect, test } from "vitest";
import { setRunning } from "@/lib/server/running.ts";
import { GET as exportAudit } from "../(dashboard)/settings/audit/export/route.ts";
import { browser } from "./testing/browser.ts";

/** What each read answers or throws, in order. */
let reads: (() => object)[];

beforeEach(() => {
  browser.cookie = undefined;
  const perform = async () => reads.shift()?.();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const ports = { log, origin: "http://localhost:3000", crypto: { digest: String } };
  setRunning(Promise.resolve({ ports, pipeline: { find: () => ({}), perform } } as never));
});

const page = (action: string, nextCursor?: string) => () => ({
  items: [{ createdAt: "2026-01-01", action }],
  ...(nextCursor && { nextCursor }),
});
const refuse =
  (code: "unavailable" | "rate_limited" | "forbidden", retryAfterSecs: number) => () => {
    throw new PaymentsError(code, "Not now.", { retryAfterSecs });
  };
const open = (signal?: AbortSignal) =>
  exportAudit(
    new NextRequest("http://localhost:3000/settings/audit/export", { ...(signal && { signal }) }),
  );

test("an export waits out a page that is refused for the moment, and has every page", async () => {
  reads = [
    page("first", "1"),
    refuse("unavailable", 0.001),
    refuse("rate_limited", 0.001),
    page("second", "2"),
    refuse("unavailable", 0.001),
    page("third"),
  ];
  const text = await (await open()).text();
  expect(text.match(/first|second|third/g)).toEqual(["first", "second", "third"]);
});

test("an export whose first page is refused answers the refusal, with the seconds to wait", async () => {
  reads = [refuse("unavailable", 7)];
  const answer = await open();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "7"]);
});

test("an export ends at a refusal that no wait cures, and when its reader leaves", async () => {
  reads = [page("first", "1"), refuse("forbidden", 0.001), page("second")];
  await expect((await open()).text()).rejects.toThrow("Not now.");
  expect(reads).toHaveLength(1);
  reads = [page("first", "1"), refuse("unavailable", 3_600), page("second")];
  const reader = new AbortController();
  const text = (await open(reader.signal)).text();
  await expect.poll(() => reads.length).toBe(1);
  reader.abort();
  await expect(text).rejects.toThrow("aborted");
  expect(reads).toHaveLength(1);
});
