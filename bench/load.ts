import { readFileSync } from "node:fs";
import autocannon from "autocannon";

/** A load from a separate process, so that it does not share the service's event loop. It fails if a call does. */
export type LoadPlan = {
  url: string;
  path: string;
  apiKey: string;
  /** The token that pays for each request, where a gate is called. */
  token?: string;
  connections: number;
  secs: number;
  /** JSON bodies, used in turn; `$ID` becomes a new request id. */
  bodies: string[];
  /** Text that every successful response contains. */
  expect: string;
};

export type LoadResult = {
  perSecond: number;
  p50: number;
  p99: number;
  sent: number;
};

const plan: LoadPlan = JSON.parse(readFileSync(0, "utf8"));
const run = Date.now().toString(36);
let sent = 0;
let failed = 0;

const instance = autocannon({
  url: plan.url,
  connections: plan.connections,
  duration: plan.secs,
  requests: [
    {
      method: "POST",
      path: plan.path,
      headers: {
        authorization: `Bearer ${plan.apiKey}`,
        "content-type": "application/json",
        ...(plan.token && { "payment-signature": plan.token }),
      },
      setupRequest: (request) => {
        const body = plan.bodies[sent % plan.bodies.length] as string;
        sent += 1;
        return {
          ...request,
          body: body.replace("$ID", `bench-${run}-${sent.toString().padStart(9, "0")}`),
        };
      },
      onResponse: (status, body) => {
        if (status !== 200 || !body.includes(plan.expect)) {
          if (failed === 0) console.error(status, body.slice(0, 300));
          failed += 1;
        }
      },
    },
  ],
});
const result = await instance;
failed += result.errors;
// A refusal can be faster than an answer.
if (failed > 0) throw new Error(`${failed} of ${sent} calls failed.`);
const answer: LoadResult = {
  perSecond: Math.round(result.requests.average),
  p50: result.latency.p50,
  p99: result.latency.p99,
  sent,
};
console.log(JSON.stringify(answer));
