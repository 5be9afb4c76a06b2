import { Payments } from "@turnpike/payments";
import { type AccountEvent, PaymentsError } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestParty,
  type TestService,
} from "../testing/test-service.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";

describe.each(ruleStores())("the stream of events on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let streams: EventStream;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    streams = createEventStream(service.ports, service.pipeline);
  });
  afterAll(() => database.close());

  const queue = async ({ address }: TestParty, ...names: string[]) => {
    for (const name of names) {
      const data = { keyId: name, name, preset: "gate", expiresAt: "" };
      await service.ports.events.queue({
        account: address,
        type: "key.created",
        subject: name,
        data,
      });
    }
    while ((await service.ports.events.sequence()) > 0);
  };
  const nameOf = ({ data }: AccountEvent) => data.keyId;
  async function newParty() {
    const party = await service.party();
    while ((await service.ports.events.sequence()) > 0);
    return party;
  }

  test("gives what comes after the last event, then what happens, each once and in order", async () => {
    const party = await newParty();
    await queue(party, "before", "one", "two");
    const { items } = await party.payments.webhooks.listEvents();
    const before = items.find((event) => nameOf(event) === "before");
    const stop = new AbortController();
    const got: unknown[] = [];
    for await (const event of party.payments.events({
      after: before?.id ?? "",
      signal: stop.signal,
    })) {
      got.push(nameOf(event));
      if (got.length === 2) await queue(party, "three", "four");
      if (got.length === 4) stop.abort();
    }
    expect(got).toEqual(["one", "two", "three", "four"]);
  });

  test("without `after` only new ones come, and other accounts' never", async () => {
    const [party, other] = [await newParty(), await newParty()];
    const stop = new AbortController();
    const events = party.payments.events({ signal: stop.signal });
    const first = events.next();
    const response = await service.call(party, "GET", "/events?limit=1");
    expect(response.status).toBe(200);
    // The stream has begun once its account's events reach it.
    for (let n = 0; ; n++) {
      await queue(other, `theirs-${n}`);
      await queue(party, `ours-${n}`);
      const seen = await Promise.race([first, service.ports.pause(100)]);
      if (!seen) continue;
      expect(seen.value && nameOf(seen.value)).toMatch(/^ours-/);
      break;
    }
    stop.abort();
    await events.return();
  });

  test("a client whose connection breaks resumes: none is lost, none comes twice", async () => {
    const party = await newParty();
    let opened = 0;
    const resumedFrom: (string | null)[] = [];
    // Each connection breaks in the middle of its second message.
    const breaking = (async (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input, init);
      const response = await service.fetch(request);
      if (!request.url.endsWith("/stream") || !response.body) return response;
      opened += 1;
      resumedFrom.push(request.headers.get("last-event-id"));
      let messages = 0;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          messages += 1;
          if (messages <= 2) return controller.enqueue(chunk);
          controller.enqueue(chunk.slice(0, chunk.length / 2));
          controller.error(new Error("broken"));
        },
      });
      return new Response(response.body.pipeThrough(cut), response);
    }) as typeof fetch;
    const { apiKey } = party;
    const payments = Payments.getInstance({ apiKey, baseUrl: TEST_ORIGIN, fetch: breaking });
    await queue(party, "one", "two", "three");
    const stop = new AbortController();
    const got: AccountEvent[] = [];
    for await (const event of payments.events({ after: 0, signal: stop.signal })) {
      got.push(event);
      if (got.length === 4) stop.abort();
    }
    expect(got.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(opened).toBe(4);
    expect(resumedFrom).toEqual(["0", ...got.slice(0, 3).map(({ id }) => id)]);
  });

  test("an id of before a restore is refused, and the client says so", async () => {
    const party = await newParty();
    const events = party.payments.events({ after: `evt_1_${"0".repeat(16)}` });
    await expect(events.next()).rejects.toMatchObject({ code: "conflict" });
  });

  test("T29: no key, no stream", async () => {
    expect((await service.call(null, "GET", "/events/stream")).status).toBe(401);
  });

  test("a listener that reads nothing keeps at most its buffer, and gets the rest when it reads", async () => {
    const party = await newParty();
    const response = await service.call(party, "GET", "/events/stream?after=0");
    const names = Array.from({ length: 400 }, (_, n) => `event-${n}-${"x".repeat(400)}`);
    await queue(party, ...names);
    const decoder = new TextDecoder();
    let text = "";
    const reader = response.body?.getReader();
    while (!text.includes("event-399-")) text += decoder.decode((await reader?.read())?.value);
    await reader?.cancel();
    const numbers = Array.from(text.matchAll(/"keyId":"event-(\d+)-/g), ([, n]) => Number(n));
    expect(numbers).toEqual(names.map((_, n) => n));
  });

  test("HEAD is answered without a stream, which no one would ever end", async () => {
    const party = await newParty();
    const head = await service.call(party, "HEAD", "/events/stream");
    expect([head.status, head.body]).toEqual([200, null]);
    const caller = { account: party.address, keyId: null, isOperator: false, provenMsAgo: 0 };
    const asking = { caller, requestId: "r", after: undefined, isStill: async () => true };
    // More than an account's pages may have open.
    for (let n = 0; n < 60; n++) {
      const { status } = await streams.openPage({ ...asking, isHead: true });
      expect(status).toBe(200);
    }
    const page = await streams.openPage(asking);
    await page.body?.cancel();
  });

  /** A stream by key whose timers are the test's, and what becomes of it. */
  async function followByKey({ apiKey }: TestParty, pipeline = service.pipeline) {
    const { open } = createEventStream(service.ports, pipeline);
    const response = await open({
      ...{ keyHash: service.ports.crypto.digest(apiKey), address: "::1" },
      ...{ requestId: "r", after: "0" },
    });
    const reader = response.body?.getReader();
    const ended = vi.fn();
    reader?.closed.then(
      () => ended("closed"),
      () => ended("failed"),
    );
    return { reader, ended };
  }

  /** Beats once, so many seconds later. */
  async function beatAfter(secs: number) {
    const now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now + secs * 1_000);
    await vi.advanceTimersByTimeAsync(15_000);
    clock.mockRestore();
  }

  test.each([
    {
      what: "revoked key",
      async end({ payments }: TestParty) {
        const [key] = (await payments.apiKeys.listApiKeys()).items;
        await payments.apiKeys.revokeApiKey(key?.keyId ?? "");
      },
    },
    {
      what: "stopped account",
      end: ({ address }: TestParty) =>
        database.query("update accounts set stopped_at = now() where address = $1", [address]),
    },
  ])(
    "T29: the stream of a $what ends, also where its address may not call any more",
    async ({ end }) => {
      vi.useFakeTimers({ toFake: ["setInterval"] });
      try {
        const party = await newParty();
        let isLimited = false;
        const tooMany = new PaymentsError("rate_limited", "Too many new API keys.");
        const { reader, ended } = await followByKey(party, {
          ...service.pipeline,
          perform: (call) =>
            isLimited ? Promise.reject(tooMany) : service.pipeline.perform(call as never),
        });
        const reading = (async () => {
          while (!(await reader?.read())?.done);
        })();
        isLimited = true;
        await beatAfter(61);
        expect(ended).not.toHaveBeenCalled();
        await end(party);
        await beatAfter(122);
        await vi.waitFor(() => expect(ended).toHaveBeenCalledExactlyOnceWith("closed"), {
          timeout: 10_000,
        });
        await reading;
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("a listener that reads nothing for half a minute loses its connection", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    try {
      const party = await newParty();
      await queue(party, ...Array.from({ length: 200 }, (_, n) => `${n}-${"x".repeat(500)}`));
      const { ended } = await followByKey(party);
      await service.ports.pause(100);
      await beatAfter(0);
      expect(ended).not.toHaveBeenCalled();
      await beatAfter(31);
      await vi.waitFor(() => expect(ended).toHaveBeenCalledExactlyOnceWith("failed"), {
        timeout: 10_000,
      });
    } finally {
      vi.useRealTimers();
    }
  });

  /** A page's stream, and what it has said so far. */
  async function openPage(
    { address }: TestParty,
    {
      isStill = async () => true,
      after,
    }: { isStill?: () => Promise<boolean>; after?: string } = {},
  ) {
    const caller = { account: address, keyId: null, isOperator: false, provenMsAgo: 0 };
    const response = await streams.openPage({ caller, requestId: "r", after, isStill });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    return {
      async until(wanted: string, times = 1) {
        while (text.split(wanted).length <= times) {
          const { value, done } = (await reader?.read()) ?? { done: true };
          if (done) return `${text} (ended)`;
          text += decoder.decode(value);
        }
        return text;
      },
      close: () => reader?.cancel(),
    };
  }

  test("a page gets its account's events, and resumes after the last one it has", async () => {
    const party = await newParty();
    await queue(party, "one");
    const page = await openPage(party);
    await queue(party, "two");
    const text = await page.until("two");
    expect(text).not.toContain('"one"');
    await page.close();
    await queue(party, "three");
    const again = await openPage(party, { after: /id: (evt_\S+)\ndata/.exec(text)?.[1] ?? "" });
    expect(await again.until("three")).not.toContain('"two"');
    await again.close();
  });

  longTest("a page also learns of requests that charge nothing, which are no events", async () => {
    const party = await newParty();
    const { agentId } = await party.payments.agents.registerAgent({ name: "Reader" }, {});
    const page = await openPage(party);
    await page.until("event: report");
    await party.payments.requests.reportRequests({
      requests: [
        {
          at: new Date().toISOString(),
          method: "POST",
          path: "/ask",
          agentId,
          httpStatus: 402,
          moneyStatus: "challenged",
        },
      ],
    });
    expect(await page.until("event: report", 2)).not.toContain("request.");
    await page.close();
  });

  test("a page’s stream ends with its session", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    try {
      const party = await newParty();
      let isSignedIn = true;
      const page = await openPage(party, { isStill: async () => isSignedIn });
      await vi.advanceTimersByTimeAsync(15_000);
      await page.until(":\n\n");
      isSignedIn = false;
      await vi.advanceTimersByTimeAsync(15_000);
      // The browser opens another one, which says whose it is or that no one is signed in.
      expect(await page.until("no such text")).toMatch(/^(?!.*signed-out).*\(ended\)/s);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a page’s stream says whose events it brings", async () => {
    const party = await newParty();
    const page = await openPage(party);
    const opened = `event: opened\ndata: {"account":"${party.address}"}\n\n`;
    expect(await page.until(opened)).toContain(opened);
    await page.close();
  });

  test("a page without a session is told that it is signed out, and nothing else", async () => {
    const isStill = async () => false;
    const response = await streams.openPage({
      caller: null,
      requestId: "r",
      after: undefined,
      isStill,
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toBe("event: signed-out\ndata: {}\n\n");
  });

  test("pages of one account are bounded, and leave its API keys their streams", async () => {
    const party = await newParty();
    const pages = await Promise.all(Array.from({ length: 50 }, () => openPage(party)));
    await expect(openPage(party)).rejects.toMatchObject({ code: "rate_limited" });
    const byKey = await service.call(party, "GET", "/events/stream");
    expect(byKey.status).toBe(200);
    await byKey.body?.cancel();
    for (const page of pages) await page.close();
    const after = await openPage(party);
    await after.close();
  });
});
