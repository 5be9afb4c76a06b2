import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { createNodeListener, Payments } from "@turnpike/payments";

const { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId, PORT } = process.env;
const payments = Payments.getInstance();
const routes = { "POST /ask": { planId, agentId, credits: 1 } };

const listener = createNodeListener(payments, routes, async (request, response, payment) => {
  response.setHeader("content-type", "application/json");
  if (!payment) return response.writeHead(404).end("{}");
  const { text } = await json(request);
  response.end(JSON.stringify({ words: text.split(" ").length }));
});
createServer(listener).listen(PORT);
