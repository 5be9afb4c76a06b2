import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import {
  defineOperations,
  type KeyPreset,
  type Operation,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { NextRequest } from "next/server";
import { beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { Ports } from "@/lib/domain/ports.ts";
import type { CallFault } from "@/lib/domain/sandbox-ports.ts";
import { createApi } from "@/lib/server/http/api.ts";
import { CLIENT_ADDRESS_HEADER } from "@/lib/server/http/client-address.ts";
import { createPipeline } from "@/lib/server/pipeline/perform.ts";
import type { ServiceOperationName } from "@/lib/server/pipeline/perform-as.ts";
import { createRateLimits } from "@/lib/server/pipeline/rate-limits.ts";
import { setRunning } from "@/lib/server/running.ts";
import type { OperationEvent } from "@/lib/server/watch/observe-operation.ts";
import { startTracing } from "@/lib/server/watch/tracing.ts";
import { GET as readData } from "../data/[operation]/route.ts";
import { change, read } from "./operations.ts";
import { streamWork } from "./stream-work.ts";
import { browser, headersModule } from "./testing/browser.ts";

const ORIGIN = "http://localhost:3000";
const SECRET = "a detail of the machine";
const MAX_INPUT = 100;

/** An operation that every entry point can call: a read, so that pages may. */
const { echo } = defineOperations(
  { name: "test", section: "Test", scope: "activity" },
  {
    echo: {
      route: "GET /echo",
      summary: "Answer the text",
      maxInput: MAX_INPUT,
      span: { name: "test:echo", prefix: "test.echo" },
      input: z.object({ text: z.string().max(10) }),
      output: z.object({ text: z.string() }),
    },
  },
);
const NAME = "echo" as ServiceOperationName;

/** A service with this one operation, and what it did. */
function createWorld() {
  const exporter = new InMemorySpanExporter();
  const tracing = startTracing({ processor: new SimpleSpanProcessor(exporter) });
  const world = {
    ran: 0,
    fault: null as CallFault | null,
    failure: null as Error | null,
    preset: "full" as KeyPreset,
    /** When the person signed in. */
    provenAt: new Date(),
    isStepUp: false,
    events: [] as OperationEvent[],
    spans: () => exporter.getFinishedSpans().map(({ name }) => name),
    logged: [] as string[],
    open: (operations: "all" | "none" = "all", ratePerMinute = 0) => {
      const account = { address: "0xabc", isOperator: false };
      const now = new Date();
      const ports = {
        environment: "sandbox",
        crypto: { digest: (text: string) => `hash of ${text}` },
        clock: { now: async () => now },
        apiKeys: {
          find: async () => ({
            account: "0xabc",
            keyId: "k",
            preset: world.preset,
            expiresAt: new Date(8e15),
            isActive: true,
          }),
          markUsed: async () => {},
        },
        signIns: {
          findSession: async () => ({
            seenAt: now,
            createdAt: world.provenAt,
            now,
            expiresAt: new Date(8e15),
          }),
        },
        accounts: { find: async () => account },
        faults: { take: () => world.fault },
        log: {
          info: () => {},
          warn: () => {},
          error: (facts: object) => world.logged.push(JSON.stringify(facts)),
        },
      } as unknown as Ports;
      const rate = ratePerMinute;
      const limits = createRateLimits({
        signIn: 0,
        api: rate,
        verify: rate,
        outbound: rate,
        publicCalls: rate,
        pages: 0,
      });
      const row = { ...echo, stepUp: world.isStepUp };
      const pipeline = createPipeline({
        ports,
        operations: operations === "all" ? [{ name: "echo", row, verb: world.verb }] : [],
        limits: { ...limits, session: { ...limits.session, api: limits.api } },
        observe: (event) => {
          world.events.push(event);
          tracing.observeOperation(event);
        },
      });
      const health = async () => ({ ok: true }) as never;
      const api = createApi({ ports, pipeline, origin: ORIGIN, health });
      const env = { origin: ORIGIN };
      const guards = { outbound: { of: "people" }, visitors: { of: "visitors" } };
      setRunning(Promise.resolve({ env, ports, pipeline, api, limits, ...guards } as never));
      return api;
    },
    verb: async (_: unknown, input: unknown) => {
      world.ran += 1;
      if (world.failure) throw world.failure;
      return input;
    },
  };
  return world;
}

type World = ReturnType<typeof createWorld>;
/** What the caller sees: `ok`, an error's code, or `broken` for a response that breaks off; and all its text. */
type Seen = { outcome: string; text: string };
type EntryPoint = (call: { world: World; text: string; isSignedIn: boolean }) => Promise<Seen>;

const seeResponse = async (response: Response): Promise<Seen> => {
  const text = await response.text().catch(() => null);
  if (text === null) return { outcome: "broken", text: "" };
  return { outcome: response.ok ? "ok" : JSON.parse(text).code, text };
};
const seeError = (error: unknown): Seen => ({
  outcome: String((error as { code?: string }).code),
  text: error instanceof Error ? error.message : "",
});

let api: ReturnType<typeof createApi>;

const ENTRY_POINTS: Record<string, EntryPoint> = {
  "the HTTP API": async ({ text, isSignedIn }) =>
    seeResponse(
      await api.request(`/api/v1/echo?${new URLSearchParams({ text })}`, {
        headers: isSignedIn ? { authorization: "Bearer svc-sandbox:key" } : {},
      }),
    ),
  "a page's read": ({ text }) =>
    read(NAME, { text } as never).then(
      () => ({ outcome: "ok", text: "" }),
      (error) => seeError(error),
    ),
  "a live read": async ({ text }) => {
    const url = `${ORIGIN}/data/echo?${new URLSearchParams({ text })}`;
    const request = new NextRequest(url, { headers: await headersModule.headers() });
    return seeResponse(await readData(request, { params: Promise.resolve({ operation: "echo" }) }));
  },
  "a server action": async ({ text }) => {
    const answer = await change(NAME, { text } as never);
    return { outcome: answer.ok ? "ok" : answer.code, text: JSON.stringify(answer) };
  },
  "streamed work": async ({ world, text }) => {
    const request = new NextRequest(`${ORIGIN}/stream`, {
      method: "POST",
      headers: await headersModule.headers(),
      body: JSON.stringify({ text }),
    });
    const { input, maxInput, span } = echo;
    const work = { name: "echo", input, maxInput, span };
    return seeResponse(
      await streamWork(request, work, async function* (_, given) {
        yield await world.verb(null, given);
      }),
    );
  },
};

type Protection = {
  /** The entry points that need it; left out, all of them. */
  at?: string[];
  check: (
    call: (more?: { text?: string; isSignedIn?: boolean }) => Promise<Seen>,
    world: World,
  ) => Promise<void>;
  /** Changes the world before the service opens. */
  prepare?: (world: World) => void;
  operations?: "none";
  ratePerMinute?: number;
};

const refused = (code: string) => expect.objectContaining({ outcome: code });

const PROTECTIONS: Record<string, Protection> = {
  "a caller who is not signed in is unauthorized": {
    async check(call, world) {
      expect(await call({ isSignedIn: false })).toEqual(refused("unauthorized"));
      expect(world.ran).toBe(0);
    },
  },
  "a page that shows another account neither acts nor reads on as the one that is signed in": {
    at: ["a live read", "a server action", "streamed work"],
    async check(call, world) {
      browser.shows = "0xdef";
      const seen = await call();
      expect(["conflict", "page_outdated"]).toContain(seen.outcome);
      expect(seen.text).toContain("You are signed in to another account now. Reload the page.");
      expect(world.ran).toBe(0);
      browser.shows = "0xabc";
      expect(await call()).toEqual(refused("ok"));
    },
  },
  "a key without the operation's right is forbidden, and told which one": {
    // Elsewhere someone is signed in, who has every right of their account.
    at: ["the HTTP API"],
    prepare: (world) => {
      world.preset = "gate";
    },
    async check(call, world) {
      const seen = await call();
      expect(seen).toEqual(refused("forbidden"));
      expect(seen.text).toContain("echo needs the scope activity:read");
      expect(world.ran).toBe(0);
    },
  },
  "an operation that needs a fresh proof refuses one of six minutes ago": {
    at: ["a page's read", "a live read", "a server action"],
    prepare: (world) => {
      world.isStepUp = true;
      world.provenAt = new Date(Date.now() - 360_000);
    },
    async check(call, world) {
      expect(await call()).toEqual(refused("step_up_required"));
      // Before the clock of the database was set back.
      world.provenAt = new Date(Date.now() + 60_000);
      expect(await call()).toEqual(refused("step_up_required"));
      expect(world.ran).toBe(0);
      world.provenAt = new Date(Date.now() - 60_000);
      expect(await call()).toEqual(refused("ok"));
    },
  },
  "another site's page is forbidden": {
    at: ["a server action", "streamed work"],
    async check(call, world) {
      browser.origin = "https://evil.example";
      expect(await call()).toEqual(refused("forbidden"));
      expect(world.ran).toBe(0);
    },
  },
  "one call too many is rate limited": {
    ratePerMinute: 1,
    async check(call, world) {
      expect(await call()).toEqual(refused("ok"));
      expect(await call()).toEqual(refused("rate_limited"));
      expect(world.ran).toBe(1);
    },
  },
  "what cannot be stored is invalid": {
    async check(call, world) {
      expect(await call({ text: "a\0b" })).toEqual(refused("invalid_input"));
      expect(world.ran).toBe(0);
    },
  },
  "an oversized input is rejected": {
    async check(call, world) {
      expect(await call({ text: "x".repeat(MAX_INPUT + 1) })).toEqual(refused("payload_too_large"));
      expect(world.ran).toBe(0);
    },
  },
  "an invalid field is invalid": {
    async check(call, world) {
      const seen = await call({ text: "x".repeat(11) });
      expect(seen).toEqual(refused("invalid_input"));
      expect(seen.text).toContain("text");
      expect(world.ran).toBe(0);
    },
  },
  "a sandbox fault fails the call before its effect": {
    async check(call, world) {
      world.fault = { kind: "down" };
      expect(await call()).toEqual(refused("unavailable"));
      expect(world.ran).toBe(0);
    },
  },
  "a sandbox fault drops the response after its effect": {
    async check(call, world) {
      world.fault = { kind: "reply-lost" };
      expect(["broken", "unavailable"]).toContain((await call()).outcome);
      expect(world.ran).toBe(1);
    },
  },
  "an operation of the sandbox is not found in live": {
    // Streamed work is not an operation: its routes exist in every environment.
    at: ["the HTTP API", "a page's read", "a live read", "a server action"],
    operations: "none",
    async check(call) {
      expect(await call()).toEqual(refused("not_found"));
    },
  },
  "a call is observed, with its input and outcome": {
    async check(call, world) {
      expect(await call()).toEqual(refused("ok"));
      world.failure = new PaymentsError("conflict", "No.");
      await call();
      await vi.waitFor(() => expect(world.events).toHaveLength(2), { timeout: 10_000 });
      expect(world.events[0]?.result).toHaveProperty("answer");
      expect(world.events).toMatchObject([
        { name: "echo", input: { text: "hello" } },
        { name: "echo", result: { error: { code: "conflict" } } },
      ]);
    },
  },
  "a call with a span is traced": {
    async check(call, world) {
      await call();
      await vi.waitFor(() => expect(world.spans()).toEqual(["test:echo"]), { timeout: 10_000 });
    },
  },
  "an unexpected error is internal, and logged without being shown": {
    async check(call, world) {
      world.failure = new Error(SECRET);
      const seen = await call();
      expect(["internal", "broken"]).toContain(seen.outcome);
      expect(seen.text).not.toContain(SECRET);
      expect(world.logged.join()).toContain(SECRET);
    },
  },
};

describe.each(Object.entries(PROTECTIONS))("%s", (_, protection) => {
  const { at, check, prepare, operations, ratePerMinute } = protection;

  beforeEach(() => {
    browser.cookie = "session";
    browser.origin = ORIGIN;
    browser.shows = undefined;
  });

  test.each(Object.entries(ENTRY_POINTS).filter(([name]) => at?.includes(name) ?? true))(
    "at %s",
    async (_name, enter) => {
      const world = createWorld();
      prepare?.(world);
      api = world.open(operations, ratePerMinute);
      await check(({ text = "hello", isSignedIn = true } = {}) => {
        browser.cookie = isSignedIn ? "session" : undefined;
        return enter({ world, text, isSignedIn });
      }, world);
    },
  );
});

test("T20: a visitor's live read counts as a public call of their address", async () => {
  createWorld().open("all", 1);
  browser.cookie = undefined;
  const readFrom = async (address: string) => {
    const headers = { [CLIENT_ADDRESS_HEADER]: address };
    const request = new NextRequest(`${ORIGIN}/data/echo?text=hello`, { headers });
    const operation = Promise.resolve({ operation: "echo" });
    return (await seeResponse(await readData(request, { params: operation }))).outcome;
  };
  expect(await readFrom("192.0.2.1")).toBe("unauthorized");
  expect(await readFrom("192.0.2.1")).toBe("rate_limited");
  expect(await readFrom("192.0.2.2")).toBe("unauthorized");
});

test("the operation of these tests is like any other", () => {
  const row: Operation = echo;
  expect(row).toMatchObject({ access: "read", callerReadBy: "pipeline", lane: "api" });
});

describe("streamed work that is open to visitors", () => {
  const send = (address: string) => {
    const request = new NextRequest(`${ORIGIN}/stream`, {
      method: "POST",
      headers: { origin: browser.origin, [CLIENT_ADDRESS_HEADER]: address },
      body: JSON.stringify({ text: "hello" }),
    });
    const work = { name: "echo", input: echo.input, visitorPoints: 1 };
    return streamWork(request, work, async function* ({ account, outbound, caller }) {
      yield { account, guard: (outbound as never as { of: string }).of, caller };
    }).then(seeResponse);
  };

  beforeEach(() => {
    browser.cookie = undefined;
    browser.origin = ORIGIN;
  });

  test("runs without a session, behind the visitors' guard, as the client's address", async () => {
    createWorld().open();
    const { outcome, text } = await send("192.0.2.1");
    expect(outcome).toBe("ok");
    expect(JSON.parse(text)).toEqual({
      account: "visitor 192.0.2.1",
      guard: "visitors",
      caller: null,
    });
  });

  test("runs as the person signed in where there is one", async () => {
    createWorld().open();
    browser.cookie = "session";
    const { text } = await send("192.0.2.1");
    expect(JSON.parse(text)).toMatchObject({ account: "0xabc", guard: "people" });
  });

  test("T36: counts each client address, and refuses other sites", async () => {
    createWorld().open("all", 1);
    expect((await send("192.0.2.1")).outcome).toBe("ok");
    expect((await send("192.0.2.1")).outcome).toBe("rate_limited");
    expect((await send("192.0.2.2")).outcome).toBe("ok");
    browser.origin = "https://evil.example";
    expect((await send("192.0.2.3")).outcome).toBe("forbidden");
  });
});
