import { createFastifyHook, Payments } from "@turnpike/payments";
import fastify from "fastify";

const { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId, PORT } = process.env;
const payments = Payments.getInstance();
const routes = { "POST /ask": { planId, agentId, credits: 1 } };

const app = fastify();
app.addHook("onRequest", createFastifyHook(payments, routes));
app.post("/ask", async (request) => ({ words: request.body.text.split(" ").length }));
await app.listen({ port: Number(PORT) });
