import { createExpressMiddleware, Payments } from "@turnpike/payments";
import express from "express";

const { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId, PORT } = process.env;
const payments = Payments.getInstance();
const routes = { "POST /ask": { planId, agentId, credits: 1 } };

const app = express();
app.use(createExpressMiddleware(payments, routes));
app.use(express.json());
app.post("/ask", (request, response) => {
  response.json({ words: request.body.text.split(" ").length });
});
app.listen(PORT);
