import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PaymentsError } from "../protocol/errors.ts";
import { encodeHeader } from "../protocol/x402-headers.ts";
import {
  apiKeyOf,
  balanceOf,
  createFakeService,
  refusal,
  refusedSettlement,
  SUBSCRIBER,
} from "../test-support/fake-service.ts";
import { runCommand } from "./command-line.ts";
import { createVerbContext } from "./context.ts";
import { answerMcp } from "./mcp-server.ts";

const url = "https://agent.example/ask";
const LONG = 250_000;

type Answer = (request: Request) => Response | Promise<Response>;

const setUp = (answer: Answer, service = createFakeService()) =>
  createVerbContext({
    apiKey: apiKeyOf(SUBSCRIBER),
    baseUrl: "https://pay.example",
    fetch: service.fetch,
    reach: async (request) => answer(request),
  });

/** An agent that asks for a credit. */
const paidBy = (answer: Answer): Answer => {
  const accepts = [{ scheme: "svc:erc4337", planId: "42", amount: "1" }];
  const asking = { paymentRequired: { x402Version: 2, accepts } };
  return (request) =>
    request.headers.has("payment-signature")
      ? answer(request)
      : Response.json(asking, { status: 402 });
};

/** What a command prints, in the order of its printing. */
async function command(
  args: string[],
  answer: Answer,
  printed: [string, string][] = [],
  service = createFakeService(),
) {
  const to = (stream: string) => (text: string) => {
    printed.push([stream, text]);
  };
  const context = { ...setUp(answer, service), readFile: async () => "", serveMcp: async () => {} };
  const write = async (text: string) => to("out")(text);
  const code = await runCommand(args, context, { out: to("out"), error: to("error"), write });
  const textOf = (stream: string) =>
    printed.flatMap(([own, text]) => (own === stream ? [text] : [])).join("");
  return { code, out: textOf("out"), error: textOf("error") };
}

async function tool(answer: Answer) {
  const params = { name: "call", arguments: { url } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const { result } = (await answerMcp(message, setUp(answer))) as { result: ToolResult };
  return { ...result, text: result.content[0]?.text ?? "" };
}
type ToolResult = {
  content: { text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
};

const NOW = "2026-01-01T00:00:00Z";
/** A token of the fake service, and what it spent on orders and reserved for them. */
const tokenDetails = (orderSpent: string, orderReserved: string) => ({
  ...{ tokenId: "t1", planId: "42", planName: "Plan 42", delegationId: "d1", status: "Revoked" },
  ...{ redemptionLimit: 1, redemptionsUsed: 0, redemptionsReserved: 0, redemptionsLeft: 1 },
  ...{ orderLimit: "1000000", orderLeft: "0", orderSpent, orderReserved },
  ...{ issuedAt: NOW, expiresAt: NOW },
  delegation: {
    ...{ delegationId: "d1", provider: "erc4337", status: "Active", planIds: ["42"] },
    ...{ spendingLimitCents: "100", amountSpentCents: "0", amountReservedCents: "0" },
    ...{ remainingBudgetCents: "0", currency: "usd", transactionCount: 0, activeTokens: 0 },
    ...{ rootOf: [], expiresAt: NOW, createdAt: NOW, sessionKeyAddress: SUBSCRIBER },
  },
});

/** A body that breaks off after its first part. */
const broken = () => {
  const parts = [new TextEncoder().encode("half")];
  return new Response(
    new ReadableStream({
      pull(out) {
        const part = parts.pop();
        if (part) out.enqueue(part);
        else out.error(new Error("The connection was reset."));
      },
    }),
  );
};

describe("the answer of a call", () => {
  test("is printed whole by the command, as it comes, and ends its last line", async () => {
    const printed: [string, string][] = [];
    let release = () => {};
    const second = new Promise<void>((done) => {
      release = done;
    });
    const parts = ["a".repeat(LONG), "end"];
    const answer = () =>
      new Response(
        new ReadableStream({
          async pull(out) {
            const part = parts.shift();
            if (part === "end") await second;
            if (part) out.enqueue(new TextEncoder().encode(part));
            else out.close();
          },
        }),
      );
    const running = command(["call", url], answer, printed);
    await expect.poll(() => printed.map(([, text]) => text).join("").length).toBeGreaterThan(LONG);
    release();
    const { code, out } = await running;
    expect([code, out]).toEqual([0, `200, nothing charged\n${"a".repeat(LONG)}end\n`]);
  });

  test("says that the call ordered the plan", async () => {
    const extra = { settlementId: "stl_1", agentRequestId: "r", chainStatus: "none" };
    const known = { creditsRedeemed: "1", remainingBalance: "9" };
    const receipt = {
      ...known,
      success: true,
      payer: "0x1",
      transaction: "stl_1",
      txHash: "stl_1",
      network: "eip155:84532",
      agentRequestId: "r",
      planId: "42",
      orderTx: "pi_1",
      extra: { ...known, ...extra },
    };
    const headers = { "payment-response": btoa(JSON.stringify(receipt)) };
    const { out } = await command(
      ["call", url],
      paidBy(() => new Response("ok", { headers })),
    );
    expect(out).toBe("200, 1 credit charged after ordering the plan (pi_1)\nok\n");
  });

  test.each([100n, 0n])(
    "whose settlement is pending does not say that nothing was charged: %i",
    async (left) => {
      const service = createFakeService();
      service.handlers.getPlanBalance = () => balanceOf("42", left);
      const receipt = refusedSettlement("settlement_pending");
      const headers = { "payment-response": encodeHeader(receipt) };
      const answer = paidBy(() => new Response("done", { headers }));
      const { code, out } = await command(
        ["call", url, "--max-spend-cents", "100"],
        answer,
        [],
        service,
      );
      expect([code, out.split("\n")[0]]).toEqual([
        0,
        "200, charge not known yet. Check your activity.",
      ]);
    },
  );

  test("does not say that a paid answer without a receipt cost nothing", async () => {
    const { out } = await command(
      ["call", url],
      paidBy(() => new Response("part by part")),
    );
    expect(out).toMatch(/^200, charge not known yet: the receipt follows the answer\n/);
  });

  const id = "req_0123456789abcdef";
  const streamed = () =>
    paidBy(() => new Response("part by part", { headers: { "payment-request-id": id } }));
  const recordOf = (moneyStatus: string) => ({
    ...{ agentRequestId: id, at: NOW, moneyStatus, credits: "3" },
    ...{ transaction: "", chainStatus: "none" },
  });

  test.each([
    ["settled", "charged", "3 credits charged."],
    ["not-charged", "none", "Nothing charged."],
    [
      "unknown",
      "unknown",
      "The charge is not known yet. Look up req_0123456789abcdef in Activity.",
    ],
  ])("names the charge of a stream at its end: %s", async (moneyStatus, charge, text) => {
    const service = createFakeService();
    service.handlers.getSettlement = () => recordOf(moneyStatus);
    const { code, out } = await command(["call", url], streamed(), [], service);
    const head = "200, charge not known yet: the receipt follows the answer";
    expect([code, out]).toEqual([0, `${head}\npart by part\n${text}`]);
    const [asked] = service.called("getSettlement");
    expect(asked?.path).toBe(`/x402/settlements/${id}`);
    const json = JSON.parse((await command(["call", url, "--json"], streamed(), [], service)).out);
    expect(json).toMatchObject({ receipt: null, charge, request: { moneyStatus, credits: "3" } });
  });

  test("leaves the charge of a stream open if the key may not read it, or the answer broke off", async () => {
    const service = createFakeService();
    service.handlers.getSettlement = () => refusal(403, "forbidden");
    const { code, out } = await command(["call", url], streamed(), [], service);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/not known yet\. Look up req_0123456789abcdef in A/),
    ]);
    await command(["call", url], paidBy(broken), [], service);
    expect(service.called("getSettlement")).toHaveLength(1);
  });

  test.each([
    ["1000000", "0", "no credits charged; the plan was ordered, and what it bought remains"],
    ["0", "1000000", "no credits charged; the plan may have been ordered"],
    ["0", "0", "no charge reported"],
  ])("says what is known of the order of a call that failed: %s, %s", async (...[a, b, text]) => {
    const service = createFakeService();
    service.handlers.getPlanBalance = () => balanceOf("42", 0n);
    service.handlers.revokeToken = () => ({ success: true });
    service.handlers.getToken = () => tokenDetails(a, b);
    const failing = paidBy(() => new Response("down", { status: 500 }));
    const args = ["call", url, "--max-spend-cents", "100"];
    const { out, code } = await command(args, failing, [], service);
    expect([code, out.split("\n")[0]]).toEqual([1, expect.stringMatching(`^500, ${text}`)]);
    expect(out.split("\n")[0]).toMatch(a === b ? /reported$/ : /\. Check your balance\.$/);
  });

  test.each([408, 502, 503, 504, 522])(
    "leaves the charge open if a proxy answers, and keeps the token for the work that goes on: %i",
    async (status) => {
      const service = createFakeService();
      service.handlers.getPlanBalance = () => balanceOf("42", 0n);
      service.handlers.revokeToken = () => ({ success: true });
      const proxy = paidBy(() => new Response("Gateway Timeout", { status }));
      const args = ["call", url, "--max-spend-cents", "100"];
      const { out, code } = await command(args, proxy, [], service);
      expect([code, out.split("\n")[0]]).toEqual([
        1,
        `${status}, charge not known: the answer is not the agent’s. Check your activity.`,
      ]);
      expect(service.called("revokeToken")).toEqual([]);
    },
  );

  test.each([402, 307, 500])(
    "does not say for an agent that had the token that nothing was charged: %i",
    async (status) => {
      const agent = paidBy(() => new Response("{}", { status }));
      const { out } = await command(["call", url], agent);
      expect(out.split("\n")[0]).toMatch(new RegExp(`^${status}, no charge reported(;|$)`));
      const json = JSON.parse((await command(["call", url, "--json"], agent)).out);
      expect(json).toMatchObject({ status, receipt: null, charge: "unknown" });
      const free = await command(["call", url, "--json"], () => new Response("{}", { status }));
      expect(JSON.parse(free.out)).toMatchObject({ status, charge: "none" });
    },
  );

  test("leaves the charge open if it was lost and a repeat does not find it", async () => {
    const extensions = { "payment-identifier": { info: {} } };
    const accepts = [{ scheme: "svc:erc4337", planId: "42", amount: "1" }];
    const asking = { paymentRequired: { x402Version: 2, accepts, extensions } };
    const conflict = () => Response.json({ code: "idempotency_conflict" }, { status: 409 });
    let count = 0;
    const { code, error } = await command(["call", url], ({ headers }) => {
      if (!headers.has("payment-signature")) return Response.json(asking, { status: 402 });
      count += 1;
      if (count > 1) return conflict();
      throw new PaymentsError("network_error", "The connection broke off.");
    });
    expect([code, error, count]).toEqual([1, expect.stringMatching(/\(outcome_unknown\)$/), 2]);
  });

  test("leaves only the order open if a gate says that it let nothing through", async () => {
    const service = createFakeService();
    service.handlers.getPlanBalance = () => balanceOf("42", 0n);
    const busy = paidBy(() => Response.json({ code: "service_unavailable" }, { status: 503 }));
    const args = ["call", url, "--max-spend-cents", "100"];
    const { out } = await command(args, busy, [], service);
    expect(out.split("\n")[0]).toBe(
      "503, no credits charged; the plan may have been ordered. Check your balance.",
    );
  });

  test("is whole in the command's JSON too, with the call's key", async () => {
    const { code, out } = await command(
      ["call", url, "--json"],
      () => new Response("a".repeat(LONG)),
    );
    const json = JSON.parse(out);
    expect([code, json.body.length, json.cut]).toEqual([0, LONG, undefined]);
    expect(json.idempotencyKey).toMatch(/^idem_/);
  });

  test("is limited for a tool, which is no failure", async () => {
    const { structuredContent, isError, text } = await tool(() => new Response("a".repeat(LONG)));
    expect([isError, String(structuredContent.body).length]).toEqual([false, 100_000]);
    expect(text).toContain("The answer is incomplete: it is longer than 100000 characters.");
    expect(text).not.toContain("Call again");
  });

  test("that breaks off fails the command, and is named by its key", async () => {
    const { code, out, error } = await command(["call", url, "--json"], paidBy(broken));
    const json = JSON.parse(out);
    expect([code, json.body, json.cut]).toEqual([1, "half", "The connection was reset."]);
    expect(error).toBe(`Idempotency key: ${json.idempotencyKey}`);
    const shown = await command(["call", url], paidBy(broken));
    expect([shown.code, shown.out]).toEqual([
      1,
      expect.stringContaining("half\nThe answer is incomplete: The connection was reset.\nCheck"),
    ]);
  });

  test("that breaks off fails the tool, which says how to repeat the call", async () => {
    const { structuredContent, isError, text } = await tool(paidBy(broken));
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({ status: 200, body: "half" });
    expect(text).toContain(`with the idempotency key ${structuredContent.idempotencyKey} within`);
    expect(text).toContain("on another replica of it, the repeat may be charged again.");
  });
});

describe("the key of a call", () => {
  test("is printed before the payment is sent, unless the caller gave it or nothing is paid", async () => {
    const printed: [string, string][] = [];
    let before = "";
    const answer = paidBy(({ headers }) => {
      before = printed.flat().join(" ");
      return new Response(headers.get("idempotency-key"));
    });
    const { out } = await command(["call", url], answer, printed);
    expect(before).toMatch(/^error Idempotency key: idem_\w+$/);
    expect(out).toContain(before.split(": ")[1]);
    expect((await command(["call", url, "--idempotency-key", "mine"], answer)).error).toBe("");
    expect((await command(["call", url], () => new Response("free"))).error).toBe("");
  });

  test("is described without promising that a repeated command is free", async () => {
    const { out } = await command(["call", "--help"], () => new Response());
    expect(out).toContain("as a command it is charged again");
  });
});

test.each(["call", "price"])(
  "%s reads at most 1 MiB of a 402, and closes its connection",
  async (name) => {
    const isClosed = vi.fn();
    let read = 0;
    const endless = () =>
      new ReadableStream({
        pull(out) {
          read += 100_000;
          if (read > 20_000_000) out.close();
          else out.enqueue(new TextEncoder().encode("a".repeat(100_000)));
        },
        cancel: isClosed,
      });
    const { code } = await command([name, url], () => new Response(endless(), { status: 402 }));
    expect([code, read < 1_500_000]).toEqual([1, true]);
    expect(isClosed).toHaveBeenCalledOnce();
  },
);

describe("an agent that does not begin its answer", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const silent = () => new Promise<Response>(() => {});

  test.each(["call", "price"])("ends %s after a minute, with nothing paid", async (name) => {
    const running = command([name, url], silent);
    await vi.advanceTimersByTimeAsync(60_000);
    const { code, error } = await running;
    const said = `${url} did not begin its answer within 60 s. Nothing was paid. Check the agent's URL, or call again later. (timeout)`;
    expect([code, error]).toEqual([1, said]);
  });

  test("has five minutes once it is paid, and its outcome is then unknown", async () => {
    const ended = vi.fn();
    let pay = () => {};
    const paid = new Promise<void>((resolve) => {
      pay = resolve;
    });
    const agent = paidBy(() => {
      pay();
      return silent();
    });
    const running = command(["call", url], agent).finally(ended);
    await paid;
    await vi.advanceTimersByTimeAsync(299_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    const { code, error } = await running;
    expect([code, error]).toEqual([
      1,
      expect.stringMatching(
        /may have been charged.*300 s.*Check your activity.*\(outcome_unknown\)$/,
      ),
    ]);
  });

  test("is cut off, and these limits are in the help", async () => {
    let signal: AbortSignal | undefined;
    const running = command(["price", url], (request) => {
      signal = request.signal;
      return silent();
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await running;
    expect(signal?.aborted).toBe(true);
    expect((await command(["call", "--help"], silent)).out).toContain(
      "60 s to begin its answer, 300 s once",
    );
  });
});

test.each(["call", "price"])(
  "%s of an agent that is not there speaks of the agent, not of the service",
  async (name) => {
    const { error } = await command([name, url], () => {
      throw new PaymentsError("network_error", `${url} did not answer.`);
    });
    expect(error).toContain("Check the agent's URL and that the agent runs. (network_error)");
  },
);

test("price names what the agent's 402 lacks, and does not send people to the service's address", async () => {
  const answer = () =>
    Response.json({ x402Version: 1, accepts: [{ scheme: "exact" }] }, { status: 402 });
  const { code, error } = await command(["price", url], answer);
  expect(code).toBe(1);
  expect(error).toContain("x402 version 1");
  expect(error).not.toContain("Turnpike service");
});

test("a 402 that drips ends within half a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const drop = new TextEncoder().encode(" ");
    const dripping = () =>
      new ReadableStream({
        async pull(out) {
          await new Promise((next) => setTimeout(next, 200));
          out.enqueue(drop);
        },
      });
    const asked = vi.fn(() => new Response(dripping(), { status: 402 }));
    const running = command(["call", url], asked);
    // What the command needs is loaded first, which takes no fake time.
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 10_000 });
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await running).code).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
