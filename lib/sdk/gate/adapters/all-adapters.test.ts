import { afterEach, describe, expect, test, vi } from "vitest";
import { decodePaymentRequired } from "../../protocol/payment-required.ts";
import { ADAPTERS, type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { ask, open, receiptIn, until } from "../../test-support/agents/ask.ts";
import {
  refusal,
  refusedSettlement,
  SUBSCRIBER,
  settlementOf,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import type { GateOptions } from "../gate-options.ts";
import type { RouteConfig } from "../routes.ts";

const stages: Stage[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stage of stages.splice(0)) await stage.close();
});

const EVENTS = { "content-type": "text/event-stream" };

describe.each(Object.keys(ADAPTERS))("behind %s", (adapter) => {
  const { hasTrailers } = ADAPTERS[adapter] as (typeof ADAPTERS)[string];
  const setUp = async (config: Partial<RouteConfig> = {}, options: GateOptions = {}) => {
    const stage = await setStage(adapter, config, options);
    stages.push(stage);
    return stage;
  };

  describe("the nine rows (§3)", () => {
    test("1. a request that matches no route passes through ungated", async () => {
      const { origin, service, events, asked } = await setUp();
      const answer = await ask(origin, "/free", { method: "GET" });
      expect([answer.status, answer.text]).toEqual([200, "hello"]);
      expect(answer.headers["payment-request-id"]).toBeUndefined();
      expect(asked[0]?.payment).toBeUndefined();
      expect([service.calls, events]).toEqual([[], []]);
    });

    test("2. the requirement is built from plan and route", async () => {
      const { origin } = await setUp({ credits: 2, agentId: "7", description: "Answers" });
      const { headers } = await ask(origin, "/ask?secret=1", { token: null });
      expect(decodePaymentRequired(String(headers["payment-required"]))).toMatchObject({
        resource: { url: expect.stringMatching(/^http:\/\/[^?]+\/ask$/), description: "Answers" },
        accepts: [
          { scheme: "svc:erc4337", planId: "42", amount: "2", extra: { httpVerb: "POST" } },
        ],
      });
    });

    test("2. the requirement names the public URL that a proxy has taken off", async () => {
      for (const publicUrl of ["https://agent.example/api", "https://agent.example/api/"]) {
        const { origin, service } = await setUp({ agentId: "7" }, { publicUrl });
        const url = "https://agent.example/api/ask";
        const { headers } = await ask(origin, "/ask?secret=1", { token: null });
        expect(decodePaymentRequired(String(headers["payment-required"]))).toMatchObject({
          resource: { url },
        });
        await ask(origin, "/ask");
        expect(service.called("verify")[0]?.body.paymentRequired).toMatchObject({
          resource: { url },
        });
      }
    });

    test("3. a missing token is answered 402, and the agent does not run", async () => {
      const { origin, asked, lastRequest } = await setUp();
      const answer = await ask(origin, "/ask", { token: null });
      expect(answer.status).toBe(402);
      expect(answer.json()).toMatchObject({ code: "token_missing", retryable: true });
      expect(asked).toEqual([]);
      expect(lastRequest()).toMatchObject({
        route: "POST /ask",
        httpStatus: 402,
        moneyStatus: "challenged",
        verify: { isValid: false },
      });
    });

    test("4. a refused token is answered 402 with its reason, and the agent does not run", async () => {
      const { origin, service, asked, lastRequest } = await setUp();
      const invalidReason = "insufficient_balance";
      service.handlers.verify = () => ({ isValid: false, invalidReason, error: invalidReason });
      const answer = await ask(origin, "/ask");
      expect(answer.status).toBe(402);
      expect(answer.json()).toMatchObject({ code: invalidReason, reason: "token refused" });
      expect(answer.headers["payment-required"]).toBeDefined();
      expect(asked).toEqual([]);
      expect(lastRequest()).toMatchObject({ moneyStatus: "refused", reason: invalidReason });
    });

    test("5. a valid token reserves the credits and gives the work its payment", async () => {
      const { origin, service, asked } = await setUp({ credits: 3n });
      await ask(origin, "/ask", { body: '{"q":1}' });
      const { body } = service.called("verify")[0] ?? {};
      expect(body).toMatchObject({ reserve: true, maxAmount: "3" });
      expect(asked[0]?.text).toBe('{"q":1}');
      expect(asked[0]?.payment).toMatchObject({
        agentRequestId: body?.agentRequestId,
        payer: SUBSCRIBER,
        credits: 3n,
      });
    });

    test("6. a 2xx answer settles under the same id and carries the receipt", async () => {
      const stage = await setUp();
      stage.work = () => ({ status: 201, body: "made", headers: { "x-mine": "1" } });
      const answer = await ask(stage.origin, "/ask");
      expect([answer.status, answer.text, answer.headers["x-mine"]]).toEqual([201, "made", "1"]);
      expect(answer.receipt()).toMatchObject({ success: true, creditsRedeemed: "1" });
      const ids = stage.service.calls.flatMap(({ body }) => body.agentRequestId ?? []);
      expect(new Set([...ids, answer.headers["payment-request-id"]]).size).toBe(1);
      expect(stage.released()).toBe(0);
      expect(stage.lastRequest()).toMatchObject({
        moneyStatus: "settled",
        httpStatus: 201,
        payer: SUBSCRIBER,
        settle: { settlement: { success: true } },
      });
    });

    test.each([
      ["is refused", () => refusedSettlement(), "insufficient_balance"],
      ["has no known outcome", () => refusal(503, "unavailable"), "settlement_pending"],
    ])(
      "7. a settlement that %s is logged and repeated; the answer stays",
      async (_how, fails, errorReason) => {
        const { origin, service, errors, queue, lastRequest } = await setUp();
        service.handlers.settle = ({ body }) =>
          service.called("settle").length < 3 ? fails() : settlementOf(body);
        const answer = await ask(origin, "/ask");
        expect([answer.status, answer.text]).toEqual([200, "hello"]);
        expect(answer.receipt()).toMatchObject({ success: false, errorReason });
        expect(errors).toHaveLength(1);
        expect(lastRequest()).toMatchObject({
          moneyStatus: "delivered-unsettled",
          reason: errorReason,
        });
        await queue.idle();
        const ids = service.called("settle").map(({ body }) => body.agentRequestId);
        expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
      },
    );

    test.each([302, 404, 500, 503])("8. a %i answer is not charged", async (status) => {
      const stage = await setUp();
      stage.work = () => ({ status, body: "no", headers: { location: "/elsewhere" } });
      const answer = await ask(stage.origin, "/ask");
      expect([answer.status, answer.text]).toEqual([status, "no"]);
      expect(answer.headers["payment-response"]).toBeUndefined();
      expect([stage.settled(), stage.released()]).toEqual([0, 1]);
      expect(stage.lastRequest()).toMatchObject({
        moneyStatus: "not-charged",
        httpStatus: status,
        reason: `status_${status}`,
      });
    });

    test("9. an exception is a 5xx without a charge", async () => {
      const stage = await setUp();
      stage.work = () => {
        throw new Error("the agent fell over");
      };
      const answer = await ask(stage.origin, "/ask");
      expect(answer.status).toBe(500);
      expect(answer.text).not.toContain("fell over");
      expect([stage.settled(), stage.released()]).toEqual([0, 1]);
      expect(stage.lastRequest()).toMatchObject({ moneyStatus: "not-charged", httpStatus: 500 });
    });
  });

  describe("beyond the nine rows", () => {
    test("several plans are several offers, each with its own scheme", async () => {
      const { origin } = await setUp({ planId: ["42", "43"] });
      const { paymentRequired } = (await ask(origin, "/ask", { token: null })).json();
      expect(paymentRequired).toMatchObject({
        accepts: [{ scheme: "svc:erc4337" }, { scheme: "svc:card-delegation", planId: "43" }],
      });
    });

    test("parameters match by position, and HEAD counts as GET", async () => {
      const { origin, settled } = await setUp();
      expect((await ask(origin, "/runs/7/wait", { token: null })).status).toBe(402);
      expect((await ask(origin, "/runs/7/wait")).status).toBe(200);
      expect((await ask(origin, "/ask", { method: "HEAD", token: null })).status).toBe(402);
      const head = await ask(origin, "/ask", { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.receipt()).toMatchObject({ success: true });
      expect(settled()).toBe(2);
    });

    test.each(["/%", "/%c0", "/ask/%zz", "/a%2Fask"])("%s is answered 400", async (path) => {
      const { origin, asked } = await setUp();
      const answer = await ask(origin, path);
      expect(answer.status).toBe(400);
      expect(asked).toEqual([]);
    });

    test("a credits function is called once and may read the body, which the work still gets", async () => {
      const credits = vi.fn(async (request: Request) => (await request.json()).n as number);
      const { origin, service, asked } = await setUp({ credits });
      const body = JSON.stringify({ n: 4, text: "x".repeat(200_000) });
      expect((await ask(origin, "/ask", { body })).status).toBe(200);
      expect(credits).toHaveBeenCalledTimes(1);
      expect(asked[0]?.text).toBe(body);
      expect(service.called("settle")[0]?.body.maxAmount).toBe("4");
    });

    test("a credits function that does not read the body leaves it to the work", async () => {
      const { origin, asked } = await setUp({ credits: () => 2 });
      const body = "y".repeat(200_000);
      await ask(origin, "/ask", { body });
      expect(asked[0]?.text).toBe(body);
    });

    test("credits are clamped to the plan's range, and an error is 500 without running the agent", async () => {
      const clamped = await setUp({ credits: 1000 });
      await ask(clamped.origin, "/ask");
      expect(clamped.service.called("settle")[0]?.body.maxAmount).toBe("10");
      const wrong = await setUp({ credits: () => Number.NaN });
      expect((await ask(wrong.origin, "/ask")).status).toBe(500);
      expect(wrong.asked).toEqual([]);
    });

    test("strict withholds an answer that could not be settled", async () => {
      const { origin, service, released, queue } = await setUp({}, { settle: "strict" });
      expect((await ask(origin, "/ask")).text).toBe("hello");
      service.handlers.settle = () => refusedSettlement();
      const answer = await ask(origin, "/ask");
      expect(answer.status).toBe(402);
      expect(answer.text).not.toContain("hello");
      await queue.idle();
      expect(released()).toBe(1);
    });

    test("before settles first, and does not run the work when that fails", async () => {
      const { origin, service, asked } = await setUp({}, { settle: "before" });
      expect((await ask(origin, "/ask")).receipt()).toMatchObject({ success: true });
      service.handlers.settle = () => refusedSettlement();
      expect((await ask(origin, "/ask")).status).toBe(402);
      expect(asked).toHaveLength(1);
    });

    test("while the service is unreachable it is 503 with Retry-After, and nothing runs", async () => {
      const { origin, service, asked, lastRequest } = await setUp();
      service.handlers.verify = () => refusal(503, "unavailable");
      const answer = await ask(origin, "/ask");
      expect(answer.status).toBe(503);
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      expect(asked).toEqual([]);
      expect(lastRequest()).toMatchObject({ moneyStatus: "not-charged", reason: "unavailable" });
    });

    test("work that takes too long is 504, costs nothing, and its late answer is discarded", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const stage = await setUp({}, { timeoutMs: 2000 });
      let finish = () => {};
      const begun = new Promise<void>((begin) => {
        stage.work = () => {
          begin();
          return new Promise((resolve) => (finish = () => resolve({ body: "late" })));
        };
      });
      const asked = ask(stage.origin, "/ask");
      await begun;
      vi.advanceTimersByTime(2000);
      const answer = await asked;
      finish();
      expect(answer.status).toBe(504);
      expect(answer.json()).toMatchObject({ code: "timeout" });
      expect([stage.settled(), stage.released()]).toEqual([0, 1]);
      stage.work = () => ({ body: "on time" });
      expect((await ask(stage.origin, "/ask")).text).toBe("on time");
    });

    test("T27: the agent does not see the token, and cannot set the gate's headers", async () => {
      const stage = await setUp();
      const forged = { "payment-response": "forged", "payment-required": "forged" };
      stage.work = () => ({
        headers: {
          ...forged,
          "cache-control": "public",
          "cdn-cache-control": "max-age=60",
          "vercel-cdn-cache-control": "max-age=60",
          "surrogate-control": "max-age=60",
          "x-accel-expires": "60",
          expires: "Fri, 01 Jan 2100 00:00:00 GMT",
          vary: "Accept",
          "set-cookie": ["a=1", "b=2"],
        },
        body: "ok",
      });
      const { headers, receipt } = await ask(stage.origin, "/ask", { headers: { "x-mine": "1" } });
      const [asked] = stage.asked;
      expect(asked?.headers.has("payment-signature")).toBe(false);
      expect(asked?.headers.get("x-mine")).toBe("1");
      expect(receipt()).toMatchObject({ success: true });
      expect(headers["payment-required"]).toBeUndefined();
      expect(headers["cache-control"]).toBe("no-store, private");
      expect(Object.keys(headers).filter((name) => /control$|expires$/.test(name))).toEqual([
        "cache-control",
      ]);
      expect(headers.vary).toBe("Accept, payment-signature");
      expect(headers["set-cookie"]).toEqual(["a=1", "b=2"]);
      expect(headers["access-control-expose-headers"]).toContain("payment-response");
    });

    test.each(["if-none-match", "if-match", "if-modified-since", "if-unmodified-since", "range"])(
      "%s does not make a paid answer free, nor less than whole",
      async (name) => {
        const stage = await setUp();
        stage.work = () => ({ body: "a whole answer", headers: { etag: '"1"' } });
        const { asked } = stage;
        const value = {
          "if-modified-since": new Date().toUTCString(),
          "if-unmodified-since": new Date(0).toUTCString(),
          range: "bytes=100-",
        }[name];
        const headers = { [name]: value ?? (name === "if-match" ? '"2"' : "*") };
        const answer = await ask(stage.origin, "/ask", { method: "HEAD", headers });
        expect(answer.status).toBe(200);
        expect(asked[0]?.headers.has(name)).toBe(false);
        expect([stage.settled(), stage.released()]).toEqual([1, 0]);
      },
    );

    test("T22: a token sent twice is malformed, and one in the query is ignored", async () => {
      const { origin, service } = await setUp();
      const token = tokenTextOf("42");
      const twice = await ask(origin, "/ask", { token: [token, token] });
      expect([twice.status, twice.json().code]).toEqual([402, "invalid_token"]);
      const query = await ask(origin, `/ask?payment-signature=${token}`, { token: null });
      expect(query.json().code).toBe("token_missing");
      expect(service.called("verify")).toEqual([]);
    });
  });

  describe("a streaming answer", () => {
    test("flows before anything is settled, and its receipt follows at its end", async () => {
      const stage = await setUp();
      let goOn = () => {};
      stage.work = () => ({
        headers: { "content-type": "text/plain" },
        body: (async function* () {
          yield "first";
          await new Promise<void>((resolve) => (goOn = resolve));
          yield "second";
        })(),
      });
      const incoming = await open(stage.origin, "/ask");
      expect(incoming.headers["payment-request-id"]).toMatch(/^req_/);
      expect(incoming.headers["payment-response"]).toBeUndefined();
      const reading = incoming[Symbol.asyncIterator]();
      expect(String((await reading.next()).value)).toBe("first");
      expect(stage.settled()).toBe(0);
      goOn();
      expect(String((await reading.next()).value)).toBe("second");
      expect((await reading.next()).done).toBe(true);
      expect([stage.settled(), stage.released()]).toEqual([1, 0]);
      if (hasTrailers) {
        expect(incoming.headers.trailer).toBe("payment-response");
        expect(receiptIn(incoming.trailers["payment-response"])).toMatchObject({ success: true });
      }
      expect(stage.lastRequest()).toMatchObject({ moneyStatus: "settled" });
    });

    test("of events ends with the receipt as an event", async () => {
      const stage = await setUp();
      stage.work = () => ({
        headers: EVENTS,
        body: (async function* () {
          yield "data: 1\n\n";
          yield "data: 2\n\n";
        })(),
      });
      const { text } = await ask(stage.origin, "/ask");
      const [, json = ""] =
        /^data: 1\n\ndata: 2\n\nevent: payment-response\ndata: (.*)\n\n$/.exec(text) ?? [];
      expect(JSON.parse(json)).toMatchObject({ success: true });
    });

    test("is held with `buffer: true`", async () => {
      const stage = await setUp({}, { buffer: true });
      stage.work = () => ({
        headers: EVENTS,
        body: (async function* () {
          yield "data: 1\n\n";
          await new Promise((resolve) => setTimeout(resolve, 10));
          yield "data: 2\n\n";
        })(),
      });
      const answer = await ask(stage.origin, "/ask");
      expect(answer.text).toBe("data: 1\n\ndata: 2\n\n");
      expect(answer.receipt()).toMatchObject({ success: true });
    });

    test.each([
      ["a failure, costs nothing", "event: error\ndata: {}\n\n", [0, 1]],
      ["a success, is charged", "data: 2\n\n", [1, 0]],
    ])("that is charged before it is delivered and reports %s", async (_what, last, counts) => {
      const stage = await setUp({}, { settle: "strict" });
      stage.work = () => ({
        headers: EVENTS,
        body: (async function* () {
          yield "data: 1\n\n";
          yield last;
        })(),
      });
      const answer = await ask(stage.origin, "/ask");
      expect(answer.text).toBe(`data: 1\n\n${last}`);
      expect([stage.settled(), stage.released()]).toEqual(counts);
      const hasSucceeded = counts[0] === 1;
      const outcome = hasSucceeded ? "succeeded" : "failed";
      expect(answer.receipt()).toMatchObject({ success: hasSucceeded, outcome });
    });

    test("that may not be held is charged first, and its receipt claims no success", async () => {
      const stage = await setUp({}, { settle: "strict", buffer: false });
      stage.work = () => ({ headers: EVENTS, body: "event: error\ndata: {}\n\n" });
      const answer = await ask(stage.origin, "/ask");
      expect(answer.receipt()).toMatchObject({ success: true });
      expect(answer.receipt()).not.toHaveProperty("outcome");
      expect(stage.settled()).toBe(1);
    });

    test("that breaks is charged for what was delivered, and does not look complete", async () => {
      const stage = await setUp();
      stage.work = () => ({
        headers: EVENTS,
        body: (async function* () {
          yield "data: 1\n\n";
          await new Promise((resolve) => setTimeout(resolve, 20));
          throw new Error("the agent fell over");
        })(),
      });
      await expect(ask(stage.origin, "/ask")).rejects.toThrow(/aborted/);
      await until(() => stage.lastRequest() !== undefined);
      expect([stage.settled(), stage.released()]).toEqual([1, 0]);
    });
  });
});
