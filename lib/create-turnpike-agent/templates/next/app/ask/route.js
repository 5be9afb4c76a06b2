import { createNextHandler, Payments } from "@turnpike/payments";

const { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId } = process.env;
const payments = Payments.getInstance();
const routes = { "POST /ask": { planId, agentId, credits: 1 } };

export const POST = createNextHandler(payments, routes, async (request) => {
  const { text } = await request.json();
  return Response.json({ words: text.split(" ").length });
});
