import { buildPaymentApp, Payments } from "@turnpike/payments";
import { createTracing } from "@turnpike/payments/tracing";
import { opentelemetry } from "./spans.mjs";

const { TURNPIKE_PLAN_ID: planId } = process.env;
const payments = Payments.getInstance();

const routes = {
  "POST /runs/wait": { planId, credits: 2 },
  "POST /threads/{thread_id}/runs/wait": { planId, credits: 3 },
  "POST /runs/stream": { planId, credits: 4 },
  "POST /threads/{thread_id}/runs/stream": { planId, credits: 5 },
};

/** The gate in front of the deployment's routes. */
export const app = buildPaymentApp(payments, routes, { observe: createTracing(opentelemetry) });
