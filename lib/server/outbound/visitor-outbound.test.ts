import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { listen, OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import { visitorOutbound } from "./visitor-outbound.ts";

test("T39: visitors of any number of addresses share the connections that are set aside for them", async () => {
  const open: ServerResponse[] = [];
  let most = 0;
  const server = await listen((_request, response) => {
    most = Math.max(most, open.push(response));
  });
  const outbound = visitorOutbound(createOutbound({ policy: OPEN, userAgent: "Test/1" }), 3);
  const send = async (account: string) => {
    const types: string[] = [];
    for await (const { type } of outbound.send({ account, method: "GET", url: server.url })) {
      types.push(type);
    }
    return types.at(-1);
  };
  const sent = Array.from({ length: 12 }, (_, at) => send(`visitor ${at}`));
  for (let left = 12; left > 0; left--) {
    await expect.poll(() => open.length, { interval: 2 }).toBe(Math.min(left, 3));
    open.shift()?.end("done");
  }
  const ends = await Promise.all(sent);
  expect(ends).toEqual(Array(12).fill("end"));
  expect(most).toBe(3);
  await server.close();
});

test("T39: requests of one address that wait for each other keep no other visitor out", async () => {
  const seen: string[] = [];
  let arrived = () => {};
  const server = await listen(({ url }, response) => {
    seen.push(url ?? "");
    arrived();
    if (url === "/quick") response.end("done");
  });
  const outbound = visitorOutbound(createOutbound({ policy: OPEN, userAgent: "Test/1" }), 6);
  const stop = new AbortController();
  const send = async (account: string, path: string) => {
    let last: string | undefined;
    const request = { account, method: "GET", url: new URL(path, server.url).href };
    const patient = { signal: stop.signal, silentMs: 60_000, totalMs: 120_000 };
    for await (const { type } of outbound.send({ ...request, ...patient })) last = type;
    return last;
  };
  const five = new Promise<void>((done) => {
    arrived = () => seen.length === 5 && done();
  });
  const slow = Array.from({ length: 12 }, () => send("visitor 1", "/slow"));
  await five;
  expect(await send("visitor 2", "/quick")).toBe("end");
  stop.abort();
  await Promise.all(slow);
  await server.close();
});

test("a visitor who stops while waiting is told so, and takes no turn", async () => {
  const server = await listen(() => {});
  const outbound = visitorOutbound(createOutbound({ policy: OPEN, userAgent: "Test/1" }), 1);
  const stop = new AbortController();
  const first = outbound.send({
    account: "a",
    method: "GET",
    url: server.url,
    signal: stop.signal,
  });
  await first.next();
  const leaving = new AbortController();
  const second = outbound.send({
    ...{ account: "b", method: "GET", url: server.url },
    signal: leaving.signal,
  });
  const told = second.next();
  leaving.abort();
  expect((await told).value).toMatchObject({ type: "refused", code: "too_many" });
  stop.abort();
  await first.return();
  await server.close();
}, 5_000);
