import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Payments } from "@turnpike/payments";
import { callPaidTool } from "@turnpike/payments/mcp";

const { TURNPIKE_PLAN_ID: planId, PORT } = process.env;
const payments = Payments.getInstance();

/** A client of the agent; close it when you are done. */
export async function connect() {
  const client = new Client({ name: "caller", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost:${PORT}/mcp`)));
  return client;
}

export const CALL = { name: "count", arguments: { text: "How many words is this?" } };

/** Calls the tool, and pays with credits of the plan; a free plan is ordered on the way. */
export async function pay() {
  const client = await connect();
  const { result, receipt } = await callPaidTool(payments, client, CALL, {
    maxCredits: 1n,
    planId,
  });
  await client.close();
  return { answer: result.content, receipt };
}

if (import.meta.filename === process.argv[1]) console.log(await pay());
