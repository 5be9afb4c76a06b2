import { buildPaymentApp, Payments } from "@turnpike/payments";
import { createTracing } from "@turnpike/payments/tracing";
import { opentelemetry } from "./spans.mjs";

const { API_KEY, PLAN_ID, TURNPIKE_URL } = process.env;
const payments = Payments.getInstance({ apiKey: API_KEY, baseUrl: TURNPIKE_URL });

const routes = {
  "POST /runs/wait": { planId: PLAN_ID, credits: 2 },
  "POST /threads/{thread_id}/runs/wait": { planId: PLAN_ID, credits: 3 },
  "POST /runs/stream": { planId: PLAN_ID, credits: 4 },
};

/** The gate in front of the deployment's routes. */
export const app = buildPaymentApp(payments, routes, { observe: createTracing(opentelemetry) });
