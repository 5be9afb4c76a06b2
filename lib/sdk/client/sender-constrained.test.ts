import { getDynamicCreditsConfig, setHolderRequired } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate, type Gate } from "../gate/gate.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import type { PaidResponse } from "./paid-response.ts";

const OUTSIDE = "https://agent.example";
const CREDITS = 2n;

describe.each(ruleStores())("requests signed by their token's holder on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, { credits: getDynamicCreditsConfig(10_000n, 1n, 10n) });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const spent = async ({ planId, subscriber }: TestMarket = market) => {
    const { balance, held } = await subscriber.payments.plans.getPlanBalance(planId);
    return 10_000n - balance + held;
  };

  /** An agent as the outside reaches it: its gates are behind a proxy that ends TLS. Remembers what was sent. */
  function standAgent(of: TestMarket = market, options: GateOptions = {}) {
    const route = { planId: of.planId, agentId: of.agentId, credits: CREDITS };
    const create = () =>
      createGate(
        of.builder.payments,
        { "POST /ask": route },
        { queue: createMemoryQueue(), report: false, logger: { error: () => {} }, ...options },
      );
    const first = create();
    const agent = {
      replica: create(),
      served: 0,
      work: async (request: Request): Promise<string> => `answer to ${await request.text()}`,
      sent: [] as Request[],
      async reach(request: Request, gate: Gate = first): Promise<Response> {
        agent.sent.push(request.clone());
        const { method, headers } = request;
        const body = new Uint8Array(await request.arrayBuffer());
        const inside = request.url.replace(`${OUTSIDE}/agents/7`, "http://10.0.0.7:8080");
        const forwarded = new Request(inside, {
          method,
          headers,
          ...(body.length > 0 && { body }),
        });
        return gate(forwarded, async (given) => {
          const text = await agent.work(given);
          agent.served += 1;
          return new Response(text);
        });
      },
      pay: (body = "question", headers: Record<string, string> = {}): Promise<PaidResponse> =>
        of.subscriber.payments.fetch(
          `${OUTSIDE}/agents/7/ask?lang=en`,
          { method: "POST", body, headers },
          { fetch: agent.reach },
        ),
      /** The last request that carried a token. */
      captured: (): Request =>
        agent.sent.filter(({ headers }) => headers.has("payment-signature")).at(-1) as Request,
    };
    return agent;
  }

  /** The captured request with something else about it. */
  const changed = (
    request: Request,
    {
      url = request.url,
      method = request.method,
      body,
      headers = {},
    }: {
      url?: string;
      method?: string;
      body?: string;
      headers?: Record<string, string | null>;
    } = {},
  ) => {
    const copy = request.clone();
    const all = new Headers(copy.headers);
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) all.delete(name);
      else all.set(name, value);
    }
    const given = body ?? copy.body;
    const init = { method, headers: all, ...(given && { body: given, duplex: "half" }) };
    return new Request(url, init as RequestInit);
  };

  test("fetch binds its token to a key and signs, and the gate behind a proxy is paid", async () => {
    const agent = standAgent();
    const before = await spent();
    const paid = await agent.pay();
    expect(await paid.response.text()).toBe("answer to question");
    expect(paid).toMatchObject({ holder: "signed", receipt: { success: true } });
    const { headers } = agent.captured();
    expect(headers.get("signature-input")).toContain(`nonce="${headers.get("idempotency-key")}"`);
    expect(paid.agentRequestId).toBe(paid.receipt?.agentRequestId);
    expect((await agent.pay("")).receipt).toMatchObject({ success: true });
    expect(await spent()).toBe(before + 2n * CREDITS);
  });

  test.each(["", "/"])(
    "a signed call of the very prefix that a proxy removes is paid, also with %j after it",
    async (slash) => {
      const options = { queue: createMemoryQueue(), report: false, publicUrl: `${OUTSIDE}/api/` };
      const { builder, subscriber, planId } = market;
      const gate = createGate(builder.payments, { "POST /": { planId } }, options);
      const reach = ({ method, headers }: Request) =>
        gate(new Request("http://10.0.0.7:8080/", { method, headers }), () => new Response("done"));
      const url = `${OUTSIDE}/api${slash}`;
      const paid = await subscriber.payments.fetch(url, { method: "POST" }, { fetch: reach });
      expect(paid).toMatchObject({ holder: "signed", receipt: { success: true } });
    },
  );

  test("T01: a stolen token without its key: 0 of 100 requests are served", async () => {
    const agent = standAgent();
    await agent.pay();
    const before = await spent();
    const { headers } = agent.captured();
    const stolen = headers.get("payment-signature") ?? "";
    const itsId = headers.get("idempotency-key") ?? "";
    const mine = agent.served;
    const steal = async (_: unknown, index: number) => {
      // Half of them under an id, and some under the id of the request whose answer is kept.
      const id = index % 4 === 0 ? itsId : freshId();
      const response = await agent.reach(
        new Request(`${OUTSIDE}/agents/7/ask?lang=en`, {
          method: "POST",
          body: "question",
          headers: {
            "payment-signature": stolen,
            ...(index % 2 === 0 && { "idempotency-key": id }),
          },
        }),
      );
      return response.status === 402 ? (await response.json()).cause : response.status;
    };
    const answers = await Promise.all(Array.from({ length: 100 }, steal));
    console.log(`stolen token: ${agent.served - mine} of 100 served`);
    expect(new Set(answers)).toEqual(new Set(["not_signed"]));
    expect(agent.served).toBe(mine);
    expect(await spent()).toBe(before);
  });

  test("T04: a captured request, changed in any way, is served nothing", async () => {
    const agent = standAgent();
    await agent.pay();
    const before = await spent();
    const mine = agent.served;
    const request = agent.captured();
    const input = request.headers.get("signature-input") ?? "";
    const otherNonce = {
      "signature-input": input.replace(/nonce="[^"]*"/, `nonce="${freshId()}"`),
    };
    const tries = [
      changed(request, { headers: { signature: `sig=:${"A".repeat(86)}==:` } }),
      changed(request, { headers: { signature: null } }),
      changed(request, { headers: { "signature-input": null } }),
      changed(request, { headers: { "signature-input": "x".repeat(5_000) } }),
      changed(request, { headers: { ...otherNonce, "idempotency-key": freshId() } }),
      changed(request, { headers: otherNonce }),
      changed(request, { url: `${OUTSIDE}/agents/7/ask?lang=fr`, headers: otherNonce }),
      changed(request, { body: "another question", headers: otherNonce }),
    ];
    for (const wrong of tries) {
      const response = await agent.reach(wrong);
      expect(response.status).toBe(402);
      expect(await response.text()).not.toContain("answer");
    }
    // The same nonce for another request is the same request to the gate.
    for (const wrong of [
      changed(request, { body: "another question" }),
      changed(request, { url: `${OUTSIDE}/agents/7/ask?lang=fr` }),
    ]) {
      expect((await agent.reach(wrong)).status).toBe(409);
    }
    expect(agent.served).toBe(mine);
    expect(await spent()).toBe(before);
  });

  test("T04: a captured request that was not answered yet is served nothing with another body", async () => {
    const agent = standAgent();
    let captured: Request | undefined;
    await market.subscriber.payments.fetch(
      `${OUTSIDE}/agents/7/ask?lang=en`,
      { method: "POST", body: "question" },
      {
        fetch: async (request) => {
          if (!request.headers.has("payment-signature")) return agent.reach(request);
          captured = request.clone();
          return new Response("done");
        },
      },
    );
    const request = captured as Request;
    expect(request.headers.get("signature-input")).toContain('"content-digest"');
    const answer = await agent.reach(changed(request, { body: "another question" }));
    expect([answer.status, agent.served]).toEqual([402, 0]);
    expect(await (await agent.reach(request)).text()).toBe("answer to question");
  });

  test("T01: a replay of the whole request does no work: one id, one burn", async () => {
    const agent = standAgent();
    const before = await spent();
    const paid = await agent.pay();
    const request = agent.captured();
    const again = await agent.reach(request.clone());
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await again.text()).toBe(await paid.response.text());
    // Nothing outside the signature makes it another request, not on another replica either.
    const renamed = changed(request, { headers: { "idempotency-key": freshId() } });
    expect((await agent.reach(renamed)).headers.get("idempotency-replayed")).toBe("true");
    expect((await agent.reach(request.clone(), agent.replica)).status).toBe(409);
    expect(agent.served).toBe(1);
    expect(await spent()).toBe(before + CREDITS);
  });

  test("T01: the same request at two replicas at once is worked on by one of them", async () => {
    const agent = standAgent();
    await agent.pay();
    const before = await spent();
    const mine = agent.served;
    let finish = () => {};
    const started = new Promise<void>((resolve) => {
      agent.work = () => {
        resolve();
        return new Promise((answer) => {
          finish = () => answer("late");
        });
      };
    });
    const paying = agent.pay("slow");
    await started;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => agent.reach(agent.captured(), agent.replica)),
    );
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    expect(answers[0]?.headers.get("retry-after")).toBe("1");
    finish();
    expect((await paying).receipt).toMatchObject({ success: true });
    expect(agent.served - mine).toBe(1);
    expect(await spent()).toBe(before + CREDITS);
  });

  test("T13, T15: a builder with a captured request settles it once, for no more than was offered", async () => {
    const agent = standAgent();
    await agent.pay();
    const before = await spent();
    // What an agent without the package's gate captures before it has settled anything.
    let captured: Request | undefined;
    const { subscriber, builder } = market;
    await subscriber.payments.fetch(
      `${OUTSIDE}/ask`,
      { method: "POST" },
      {
        fetch: async (request) => {
          if (!request.headers.has("payment-signature")) return agent.reach(request);
          captured = request;
          return new Response("done");
        },
      },
    );
    const { headers } = captured as Request;
    const proof = {
      method: "POST",
      path: "/ask",
      query: "?",
      signatureInput: headers.get("signature-input") ?? "",
      signature: headers.get("signature") ?? "",
    };
    const x402AccessToken = headers.get("payment-signature") ?? "";
    const settle = async (more: object) => {
      const response = await service.call(builder, "POST", "/x402/settle", {
        paymentRequired: requirementOf(market),
        x402AccessToken,
        ...more,
      });
      return response.json();
    };
    const outcomes = { above: 0, unsigned: 0, settled: new Set<string>() };
    for (let index = 0; index < 30; index++) {
      const agentRequestId = freshId();
      const above = await settle({ agentRequestId, proof, maxAmount: String(3 + (index % 8)) });
      if (above.success) outcomes.above += 1;
      const unsigned = await settle({ agentRequestId, maxAmount: "1" });
      if (unsigned.success) outcomes.unsigned += 1;
    }
    for (let index = 0; index < 10; index++) {
      const answer = await settle({ agentRequestId: freshId(), proof, maxAmount: "2" });
      if (answer.success) outcomes.settled.add(answer.agentRequestId);
    }
    const burned = (await spent()) - before;
    console.log(
      `builder: above the offer ${outcomes.above}, unsigned ${outcomes.unsigned}, settlements ${outcomes.settled.size}, burned ${burned}`,
    );
    expect([outcomes.above, outcomes.unsigned, outcomes.settled.size]).toEqual([0, 0, 1]);
    expect(burned).toBe(CREDITS);
  });

  test("T52: clocks that differ by years change nothing", async () => {
    const agent = standAgent();
    const before = await spent();
    let clock = vi.spyOn(Date, "now");
    for (const years of [-3, 3]) {
      clock.mockRestore();
      clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + years * 31_557_600_000);
      const { receipt } = await agent.pay(`${years} years`);
      expect(receipt).toMatchObject({ success: true });
    }
    clock.mockRestore();
    expect(await spent()).toBe(before + 2n * CREDITS);
  });

  test("a platform without Ed25519 pays by bearer token, and the result says so", async () => {
    const generate = vi.spyOn(crypto.subtle, "generateKey");
    generate.mockRejectedValue(new DOMException("Unrecognized name.", "NotSupportedError"));
    // Another subscriber, whose client has no token yet.
    const agent = standAgent(await createMarket(service));
    const paid = await agent.pay();
    generate.mockRestore();
    expect(paid).toMatchObject({ holder: "bearer", receipt: { success: true } });
    expect(agent.captured().headers.has("signature-input")).toBe(false);
  });

  test("a plan that requires it says so in its offer, and is paid by fetch, not by a bearer token", async () => {
    const credits = getDynamicCreditsConfig(10_000n, 1n, 10n);
    // The token is minted before the plan requires signatures; afterwards none is.
    const strict = await createMarket(service, { credits });
    const { plans } = strict.builder.payments;
    await plans.updatePlan(strict.planId, { creditsConfig: setHolderRequired(credits) });
    await strict.subscriber.payments.plans.orderPlan(strict.planId);
    const mint = strict.subscriber.payments.x402.getX402AccessToken(strict.planId, strict.agentId);
    await expect(mint).rejects.toThrow("doesn’t accept bearer tokens");
    const agent = standAgent(strict);
    const ask = (headers: Record<string, string> = {}) =>
      agent.reach(new Request(`${OUTSIDE}/agents/7/ask`, { method: "POST", headers }));
    const { paymentRequired } = await (await ask()).json();
    expect(paymentRequired.accepts[0].extra.holderRequired).toBe(true);
    const refused = await ask({ "payment-signature": strict.token });
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      cause: "holder_required",
      message: expect.stringContaining("payments.fetch"),
    });
    expect((await agent.pay()).receipt).toMatchObject({ success: true });
    expect(agent.served).toBe(1);
  });

  test("a signed repeat is given its kept answer, and a signature of others stays in place", async () => {
    const agent = standAgent();
    const before = await spent();
    const headers = {
      "idempotency-key": "short",
      signature: "cdn=:QUJD:",
      "signature-input": 'cdn=("@path");created=1;tag="cdn"',
    };
    const first = await agent.pay("same", headers);
    const again = await agent.pay("same", headers);
    expect(await again.response.text()).toBe(await first.response.text());
    expect(again.response.headers.get("idempotency-replayed")).toBe("true");
    expect(agent.captured().headers.get("signature")).toMatch(/^cdn=:QUJD:, sig=:/);
    expect(agent.served).toBe(1);
    expect(await spent()).toBe(before + CREDITS);
  });
});
