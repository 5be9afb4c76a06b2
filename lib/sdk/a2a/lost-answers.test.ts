import type { AgentCard } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { beforeEach, describe, expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { PAYMENT_IDENTIFIER } from "../protocol/x402-headers.ts";
import { apiKeyOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";
import { skipWaits } from "../test-support/skip-waits.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { sendPaidMessage } from "./send-paid-message.ts";

beforeEach(skipWaits);

const requirement = {
  x402Version: 2,
  accepts: [{ scheme: "svc:erc4337", network: "eip155:84532", planId: "42", amount: "1" }],
  code: "token_missing",
  error: "token_missing",
  extensions: { [PAYMENT_IDENTIFIER]: { info: { required: false } } },
};
const message = {
  messageId: "m",
  contextId: "",
  taskId: "",
  role: 1,
  parts: [],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
};
const params = { tenant: "", message, configuration: undefined, metadata: undefined };

/** A task as it is sent, whose status message has this metadata. */
const taskOf = (state: string, metadata: object) => ({
  id: "t",
  contextId: "c",
  status: {
    state: `TASK_STATE_${state}`,
    message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "…" }], metadata },
  },
  artifacts: [],
  history: [],
});

type Answer = { status: number; body: object };

/** What sending a paid message comes to where the agent answers one paid message after the other like this, and how many came. */
async function send(binding: "JSONRPC" | "HTTP+JSON", answers: (Answer | Error)[]) {
  let sent = 0;
  const fetchImpl = async (_url: unknown, { body }: RequestInit) => {
    const { id } = JSON.parse(String(body));
    const write = ({ status, body }: Answer) =>
      Response.json(binding === "JSONRPC" ? { jsonrpc: "2.0", id, ...body } : body, { status });
    const result = (task: object) =>
      write({ status: 200, body: binding === "JSONRPC" ? { result: { task } } : { task } });
    if (!String(body).includes(A2A_PAYMENT.PAYLOAD)) {
      return result(taskOf("INPUT_REQUIRED", { [A2A_PAYMENT.REQUIRED]: requirement }));
    }
    const answer = answers[sent] ?? new Error("There is no more.");
    sent += 1;
    if (answer instanceof Error) throw answer;
    return write(answer);
  };
  const transport = { fetchImpl: fetchImpl as typeof fetch };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory(transport), new RestTransportFactory(transport)],
  });
  const url = "https://agent.test/a2a";
  const offered = { url, protocolBinding: binding, tenant: "", protocolVersion: "1.0" };
  const card = { name: "Reader", supportedInterfaces: [offered], capabilities: {} };
  const client = await new ClientFactory(options).createFromAgentCard(card as unknown as AgentCard);
  const service = createSellingService(1n, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const outcome = sendPaidMessage(payments, client, params, { planId: "42", maxSpend: 500n });
  return { outcome: await outcome.catch((error: unknown) => error), sent };
}

const failed = "The work failed.";

test.each([
  [-32_603, 200],
  [-32_602, 200],
  [-32_001, 200],
  [7, 200],
  [-32_603, 504],
])("a JSON-RPC error of the agent is its answer: %i, HTTP %i", async (code, status) => {
  const { outcome, sent } = await send("JSONRPC", [
    { status, body: { error: { code, message: failed } } },
  ]);
  expect(outcome).toMatchObject({ envelopeCode: code, message: failed });
  expect(sent).toBe(1);
});

describe("over REST", () => {
  test.each([500, 404])("an error of the agent is its answer: %i", async (status) => {
    const { outcome, sent } = await send("HTTP+JSON", [
      { status, body: { error: { code: status, message: failed } } },
    ]);
    expect(outcome).toMatchObject({ statusCode: status, message: failed });
    expect(sent).toBe(1);
  });

  test("a proxy's 504 is no answer: the message is sent again", async () => {
    const lost = { status: 504, body: {} };
    const { outcome, sent } = await send("HTTP+JSON", [
      lost,
      lost,
      { status: 200, body: { task: taskOf("COMPLETED", {}) } },
    ]);
    expect(outcome).toMatchObject({ result: { id: "t" } });
    expect(sent).toBe(3);
  });
});

test.each(["conflict", "idempotency_conflict", "unavailable", "internal"])(
  "a task that a gate refuses without a requirement does not end a message whose answer was lost: %s",
  async (code) => {
    const metadata = { [A2A_PAYMENT.STATUS]: "payment-failed", [A2A_PAYMENT.ERROR]: code };
    const refused = { status: 200, body: { result: { task: taskOf("FAILED", metadata) } } };
    const ended = { status: 200, body: { error: { code: -32_004, message: failed } } };
    const { outcome } = await send("JSONRPC", [new Error("It broke off."), refused, ended]);
    expect(outcome).toMatchObject({
      code: "outcome_unknown",
      cause: { message: "It broke off." },
    });
  },
);
