import { expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import type { RouteConfig } from "../routes.ts";

const TOKEN = tokenTextOf("44");
const readBody = async (request: Request) => (await request.json()).calls.length as number;

/** A gate whose plan asks for at least 3 credits, and what it logs. */
function setUp(credits: RouteConfig["credits"] = readBody) {
  const service = createFakeService([planOf("44", { minAmount: 3n })]);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const error = vi.fn();
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "44", credits } },
    { queue: createMemoryQueue(), report: false, logger: { error } },
  );
  const work = vi.fn(() => Response.json({}));
  const ask = (body?: string, token?: string) =>
    gate(
      new Request("http://agent.test/ask", {
        method: "POST",
        ...(body !== undefined && { body }),
        headers: token ? { "payment-signature": token } : {},
      }),
      work,
    );
  return { service, ask, work, error };
}

test.each([
  ["no body", undefined],
  ["a body that is not JSON", "{bad"],
  ["a body without what is priced", "{}"],
])("T25: %s, which `credits` cannot read, is 400 and says what to do", async (_what, body) => {
  const { ask, work, service } = setUp();
  const refused = await ask(body, TOKEN);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    code: "invalid_input",
    retryable: false,
    message: expect.stringContaining("Send a body of the form that the route expects."),
  });
  expect(work).not.toHaveBeenCalled();
  expect(service.called("verify")).toEqual([]);
});

test("T25: without a token it is asked for the plan's minimum, as a crawler asks", async () => {
  const { ask } = setUp();
  const asked = await ask();
  expect(asked.status).toBe(402);
  const { paymentRequired } = await asked.json();
  expect(paymentRequired.accepts).toMatchObject([{ amount: "3" }]);
});

test("what `credits` throws is logged once of a kind, so that a bug shows and a caller cannot fill the log", async () => {
  const { ask, error } = setUp();
  for (let time = 0; time < 3; time++) {
    await ask("{bad", TOKEN);
    await ask("{}", TOKEN);
  }
  expect(error.mock.calls.map(([, fields]) => [fields.route, fields.reason])).toEqual([
    ["POST /ask", expect.stringContaining("JSON")],
    ["POST /ask", expect.stringContaining("undefined")],
  ]);
});

test("a `credits` function whose own service is away is 503, with and without a token", async () => {
  const { ask, work } = setUp(() => {
    throw new PaymentsError("network_error", "It did not answer.");
  });
  expect([(await ask("{}", TOKEN)).status, (await ask("{}")).status]).toEqual([503, 503]);
  expect(work).not.toHaveBeenCalled();
});

test.each<[string, unknown]>([
  ['"3"', "3"],
  ["0", 0],
  ["-2", -2n],
  ["NaN", Number.NaN],
  ["undefined", undefined],
  ['{"credits":"3"}', { credits: 3n }],
  [`"${"x".repeat(99)}`, "x".repeat(100_000)],
])(
  "of a `credits` function that returns %s, the log shows what it returned",
  async (shown, value) => {
    const { ask, error, work } = setUp(() => value as number);
    expect((await ask("{}", TOKEN)).status).toBe(500);
    expect(error.mock.calls[0]?.[1].reason).toBe(
      `\`credits\` returned ${shown}, so callers get 500. Return a whole number of at least 1; leave requests that cost nothing off the gate's routes.`,
    );
    expect(work).not.toHaveBeenCalled();
  },
);

test.each([1e30, 2 ** 53, 10n ** 80n])(
  "a `credits` function that returns %s costs the plan's maximum",
  async (value) => {
    const { ask, service } = setUp(() => value);
    expect((await ask("{}", TOKEN)).status).toBe(200);
    expect(service.called("settle")[0]?.body.maxAmount).toBe("10");
  },
);
