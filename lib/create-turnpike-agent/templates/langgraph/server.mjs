import { serve } from "@hono/node-server";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { buildPaymentApp, Payments } from "@turnpike/payments";

const { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId, PORT } = process.env;
const payments = Payments.getInstance();
const routes = { "POST /ask": { planId, agentId, credits: 1 } };

const State = Annotation.Root({ text: Annotation(), words: Annotation() });
const graph = new StateGraph(State)
  .addNode("count", ({ text }) => ({ words: text.split(" ").length }))
  .addEdge(START, "count")
  .addEdge("count", END)
  .compile();

const app = buildPaymentApp(payments, routes);
app.post("/ask", async (request) => Response.json(await graph.invoke(await request.json())));
serve({ fetch: app.fetch, port: Number(PORT) });
