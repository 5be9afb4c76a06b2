import type { QueryState } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { READ_AGAIN_HEADER, readQuery } from "./read-operation.ts";

const marked: boolean[] = [];

beforeEach(() => {
  marked.length = 0;
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    marked.push(new Headers(init.headers).has(READ_AGAIN_HEADER));
    return new Response("{}");
  });
});
afterEach(() => vi.unstubAllGlobals());

/** Reads as React Query does, which knows this of the query. */
const read = (known: Partial<QueryState> | undefined) => {
  const { queryFn, queryKey } = readQuery("getRequest", { agentRequestId: "one" });
  const getQueryState = <T>() => known as T;
  return queryFn({ queryKey, signal: new AbortController().signal, client: { getQueryState } });
};

test("what a page reads for the first time is not marked", async () => {
  await read(undefined);
  await read({ data: undefined, errorUpdateCount: 0 });
  expect(marked).toEqual([false, false]);
});

test("what a page has, and what failed before, is marked when it is read again", async () => {
  await read({ data: {}, errorUpdateCount: 0 });
  await read({ data: undefined, errorUpdateCount: 1 });
  expect(marked).toEqual([true, true]);
});

test.each(["", '{"items":[{"cut'])(
  "an answer that breaks off after %j is an error",
  async (text) => {
    vi.stubGlobal("fetch", async () => new Response(text));
    await expect(read(undefined)).rejects.toMatchObject({ code: "network_error" });
  },
);
