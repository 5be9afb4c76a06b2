import { NextRequest } from "next/server";
import { beforeEach, expect, test } from "vitest";
import { READ_AGAIN_HEADER } from "@/components/data/read-operation.ts";
import { setRunning } from "@/lib/server/running.ts";
import { GET as readData } from "../data/[operation]/route.ts";
import { GET as openEvents } from "../data/events/route.ts";
import { browser } from "./testing/browser.ts";

const MINUTE = 60_000;
const touched: string[] = [];

beforeEach(() => {
  touched.length = 0;
  browser.cookie = "token";
  const seenAt = new Date(Date.now() - 5 * MINUTE);
  const ports = {
    crypto: { digest: (text: string) => `hash of ${text}` },
    signIns: {
      findSession: async (hash: string) => ({
        hash,
        account: "0xabc",
        method: "demo",
        seenAt,
        createdAt: seenAt,
        now: new Date(),
        expiresAt: new Date(Date.now() + MINUTE),
      }),
      touchSession: async (hash: string) => void touched.push(hash),
    },
    accounts: { find: async (address: string) => ({ address, isOperator: false }) },
  };
  const pipeline = {
    find: () => ({ row: { method: "GET" } }),
    perform: async ({ credentials }: { credentials: object | null }) => credentials ?? {},
  };
  const events = {
    openPage: async ({ caller }: { caller: object | null }) => Response.json(caller),
  };
  setRunning(Promise.resolve({ ports, pipeline, events } as never));
});

const read = async (headers: Record<string, string> = {}) => {
  const request = new NextRequest("http://localhost:3000/data/getHome", { headers });
  const answer = await readData(request, { params: Promise.resolve({ operation: "getHome" }) });
  expect(await answer.json()).toMatchObject({ session: { account: "0xabc" } });
};

test("what a person reads is a use of their session", async () => {
  await read();
  expect(touched).toEqual(["hash of token"]);
});

test("what a page reads again on its own is none, nor is its stream", async () => {
  await read({ [READ_AGAIN_HEADER]: "1" });
  const stream = await openEvents(new NextRequest("http://localhost:3000/data/events"));
  expect(await stream.json()).toMatchObject({ account: "0xabc" });
  expect(touched).toEqual([]);
});
