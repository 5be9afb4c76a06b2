import { serve } from "@hono/node-server";
import { PaymentMiddleware, Payments } from "@turnpike/payments";
import { Hono } from "hono";

const { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId, PORT } = process.env;
const payments = Payments.getInstance();
const routes = { "POST /ask": { planId, agentId, credits: 1 } };

const app = new Hono();
app.use(PaymentMiddleware(payments, routes));
app.post("/ask", async (c) => {
  const { text } = await c.req.json();
  return c.json({ words: text.split(" ").length });
});
serve({ fetch: app.fetch, port: Number(PORT) });
