import type { CodeSample } from "../ui/data/code-tabs.tsx";

/** The gate in ten lines. */
export const GATE_SNIPPET = `import { Payments, createGate } from "@turnpike/payments"
import { answer } from "./agent.js"

// Reads TURNPIKE_API_KEY.
const payments = Payments.getInstance()

const gate = createGate(payments, {
  "POST /ask": { planId: "42", agentId: "7", credits: 1 },
})
export const POST = (request) => gate(request, answer)`;

const CLIENT = "const payments = Payments.getInstance()";
const ROUTES = `{ "POST /ask": { planId: "42", agentId: "7", credits: 1 } }`;

/** The same gate in front of what people have already, as shown on the landing page. A test compiles each. */
export const GATE_SAMPLES: CodeSample[] = [
  { language: "fetch", label: "Fetch", code: GATE_SNIPPET },
  {
    language: "next",
    label: "Next.js",
    code: `import { Payments, createNextHandler } from "@turnpike/payments"
import { answer } from "./agent.js"

${CLIENT}

// app/ask/route.ts
export const POST = createNextHandler(payments, ${ROUTES}, answer)`,
  },
  {
    language: "hono",
    label: "Hono",
    code: `import { PaymentMiddleware, Payments } from "@turnpike/payments"
import { Hono } from "hono"
import { answer } from "./agent.js"

${CLIENT}

const app = new Hono()
app.use(PaymentMiddleware(payments, ${ROUTES}))
app.post("/ask", (c) => answer(c.req.raw))`,
  },
  {
    language: "express",
    label: "Express",
    code: `import { Payments, createExpressMiddleware } from "@turnpike/payments"
import express from "express"

${CLIENT}

const app = express()
app.use(createExpressMiddleware(payments, ${ROUTES}))
app.post("/ask", (request, response) => {
  response.json({ answer: 42 })
})`,
  },
  {
    language: "fastify",
    label: "Fastify",
    code: `import { Payments, createFastifyHook } from "@turnpike/payments"
import fastify from "fastify"

${CLIENT}

const app = fastify()
app.addHook("onRequest", createFastifyHook(payments, ${ROUTES}))
app.post("/ask", async () => ({ answer: 42 }))`,
  },
  {
    language: "mcp",
    label: "MCP",
    code: `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { Payments } from "@turnpike/payments"
import { withPayment } from "@turnpike/payments/mcp"
import { z } from "zod"

${CLIENT}

const server = new McpServer({ name: "reader", version: "1.0.0" })
const about = { description: "Counts letters.", inputSchema: { text: z.string() } }
const price = { server: "reader", tool: "count", planId: "42", agentId: "7", credits: 1 }
server.registerTool("count", about, withPayment(payments, price, async ({ text }) => ({
  content: [{ type: "text", text: String(text.length) }],
})))`,
  },
];
