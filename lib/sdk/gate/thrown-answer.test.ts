import { getRequestListener } from "@hono/node-server";
import { HTTPException } from "hono/http-exception";
import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { decodeHeader } from "../protocol/x402-headers.ts";
import { apiKeyOf, BUILDER, createFakeService, tokenTextOf } from "../test-support/fake-service.ts";
import { createGate } from "./gate.ts";
import type { GateOptions } from "./gate-options.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";
import { answerThrown } from "./thrown-answer.ts";

const errorWith = (members: object) => Object.assign(new Error("not here"), members);

/** As h3 makes its errors. */
class H3Error extends Error {
  static readonly __h3_error__ = true;
  readonly unhandled = false;
  readonly statusCode: number;
  readonly statusMessage: string | undefined;
  constructor(message: string, statusCode = 404, statusMessage?: string) {
    super(message);
    this.statusCode = statusCode;
    this.statusMessage = statusMessage;
  }
}

/** As SvelteKit does: what it lets an app throw is of a class, and no error. */
class OfSvelteKit {
  constructor(members: object) {
    Object.assign(this, members);
  }
}

/** Asks twice under one key, at a gate whose work throws this. */
async function askTwice(thrown: unknown, settle: GateOptions["settle"] = "before") {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const logged: string[] = [];
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42" } },
    {
      settle,
      queue: createMemoryQueue(),
      report: false,
      logger: { error: (text) => logged.push(text) },
    },
  );
  const headers = {
    "payment-signature": tokenTextOf("42"),
    "idempotency-key": "order-0000-0000-0001",
  };
  const ask = async () => {
    const request = new Request("http://agent.test/ask", { method: "POST", headers });
    const {
      status,
      headers: given,
      body,
    } = await gate(request, () => {
      throw thrown;
    });
    const receipt = decodeHeader(given.get("payment-response") ?? "");
    const text = await new Response(body).text();
    return { status, location: given.get("location"), text, receipt };
  };
  const first = await ask();
  const again = await ask();
  return { first, again, logged, settled: service.called("settle").length };
}

test.each<[string, () => unknown, number, string | null, string]>([
  ["a response", () => new Response("not here", { status: 404 }), 404, null, "not here"],
  ["a redirect", () => Response.redirect("http://to.test/", 303), 303, "http://to.test/", ""],
  [
    "`redirect()` of Next",
    () => errorWith({ digest: "NEXT_REDIRECT;replace;/a;b;307;" }),
    307,
    "/a;b",
    "",
  ],
  [
    "`notFound()` of Next",
    () => errorWith({ digest: "NEXT_HTTP_ERROR_FALLBACK;404" }),
    404,
    null,
    "",
  ],
  [
    "an exception of Hono",
    () => new HTTPException(404, { message: "not here" }),
    404,
    null,
    "not here",
  ],
  [
    "`redirect()` of SvelteKit",
    () => new OfSvelteKit({ status: 303, location: "/to" }),
    303,
    "/to",
    "",
  ],
  [
    "`error()` of SvelteKit",
    () => new OfSvelteKit({ status: 404, body: { message: "not here" } }),
    404,
    null,
    '{"message":"not here"}',
  ],
  ["`notFound()` of Next 14", () => errorWith({ digest: "NEXT_NOT_FOUND" }), 404, null, ""],
  [
    "a redirect of h3 2",
    () =>
      errorWith({
        name: "HTTPError",
        status: 302,
        unhandled: undefined,
        headers: new Headers({ location: "/to", "content-length": "9" }),
      }),
    302,
    "/to",
    '{"message":"not here"}',
  ],
  ["a status without a body", () => errorWith({ statusCode: 304, expose: true }), 304, null, ""],
  [
    "an error of http-errors",
    () => errorWith({ statusCode: 404, expose: true }),
    404,
    null,
    '{"message":"not here"}',
  ],
  ["an error of h3", () => new H3Error("not here"), 404, null, '{"message":"not here"}'],
  [
    "an error of h3 2",
    () => errorWith({ name: "HTTPError", status: 404, unhandled: undefined }),
    404,
    null,
    '{"message":"not here"}',
  ],
  [
    "an exception of Nest",
    () => errorWith({ getStatus: () => 404, getResponse: () => ({ message: "not here" }) }),
    404,
    null,
    '{"message":"not here"}',
  ],
  [
    "an exception of Nest with a text",
    () => errorWith({ getStatus: () => 404, getResponse: () => "not here" }),
    404,
    null,
    '{"statusCode":404,"message":"not here"}',
  ],
  [
    "a failure of h3, whose message h3 does not answer with",
    () => new H3Error("not here", 500, "Server Error"),
    500,
    null,
    '{"message":"Server Error"}',
  ],
])(
  "what a framework answers by has its status and the receipt where it was paid before: %s",
  async (_, make, status, location, text) => {
    const { first, again, logged, settled } = await askTwice(make());
    expect(first).toMatchObject({ status, location, text });
    expect(first.receipt).toMatchObject({ success: true, outcome: "failed" });
    expect([again, settled, logged]).toEqual([first, 1, []]);
  },
);

const FETCHED = Object.defineProperty(new Response("no", { status: 404 }), "url", {
  value: "http://other.test/",
});

test.each<[string, unknown]>([
  ["the AI SDK’s error", errorWith({ name: "AI_APICallError", statusCode: 429 })],
  ["a status", errorWith({ status: 429 })],
  ["the error of an HTTP client", errorWith({ name: "HTTPError", response: FETCHED })],
  ["an HTTP client’s with a status", errorWith({ name: "HTTPError", status: 503 })],
  ["what h3 did not expect", errorWith({ name: "HTTPError", status: 500, unhandled: true })],
  ["a status of another kind", errorWith({ statusCode: 99, expose: true })],
  ["the response of another service", FETCHED],
  ["a response that cannot be got", errorWith({ getResponse: () => "none" })],
  ["a digest of React", errorWith({ digest: "2847239023" })],
  ["a digest of Next that is no answer", errorWith({ digest: "DYNAMIC_SERVER_USAGE" })],
  ["an object with a status", { status: 429, body: { error: "rate limited" } }],
  ["a text", "rate limited"],
  ["nothing", null],
])(
  "what is no answer is a 500 with the receipt where it was paid before: %s",
  async (_, thrown) => {
    const { first, again, logged, settled } = await askTwice(thrown);
    expect(first.status).toBe(500);
    expect(first.receipt).toMatchObject({ success: true, outcome: "failed" });
    expect([again, settled, logged]).toEqual([first, 1, ["The work failed."]]);
  },
);

test("the answer has the error's headers", async () => {
  const headers = { "retry-after": 7, "content-encoding": "br", object: {} };
  const thrown = errorWith({ statusCode: 429, expose: true, headers });
  const answer = answerThrown(thrown);
  expect(answer.headers.get("retry-after")).toBe("7");
  expect([answer.headers.get("content-encoding"), answer.headers.get("object")]).toEqual([
    null,
    null,
  ]);
});

const COOKIES = ["a=1", "b=2"];

test.each<[string, object]>([
  ["headers", new Headers(COOKIES.map((cookie) => ["set-cookie", cookie]))],
  ["a list", { "set-cookie": COOKIES }],
])("the answer has each of the error's cookies, from %s", (_, headers) => {
  const { headers: given } = answerThrown(errorWith({ statusCode: 401, expose: true, headers }));
  expect(given.getSetCookie()).toEqual(COOKIES);
});

test.each<[string, object]>([
  ["a header that is none", { statusCode: 429, expose: true, headers: { "x-why": "a\nb" } }],
  ["a location that is none", { digest: "NEXT_REDIRECT;replace;/\u{1f600};307;" }],
  ["a body that is no JSON", { getStatus: () => 404, getResponse: () => ({ count: 1n }) }],
])("an error whose answer can't be made is thrown on: %s", (_, members) => {
  const thrown = errorWith(members);
  expect(() => answerThrown(thrown)).toThrow(thrown);
  // Replaces `Response` by one that is made late.
  getRequestListener(() => new Response());
  expect(() => answerThrown(thrown)).toThrow(thrown);
});

test.each([new HTTPException(404), Response.redirect("http://to.test/")])(
  "what was not paid before is thrown on: %s",
  async (thrown) => {
    await expect(askTwice(thrown, "after")).rejects.toBe(thrown);
  },
);
