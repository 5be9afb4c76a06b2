/** The gate in ten lines, as shown on the landing page. Its test compiles it. */
export const GATE_SNIPPET = `import { Payments, createGate } from "@turnpike/payments"
import { answer } from "./agent"

const apiKey = process.env.SVC_API_KEY ?? ""
const payments = Payments.getInstance({ apiKey, environment: "sandbox" })

const gate = createGate(payments, {
  "POST /ask": { planId: "42", agentId: "7", credits: 1 },
})
export const POST = (request: Request) => gate(request, answer)`;
