import { type Payments, PaymentsError } from "@turnpike/payments";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { runPlayground } from "@/lib/playground/engine.ts";
import type { PlaygroundService, Transport } from "@/lib/playground/ports.ts";
import type { Run } from "@/lib/playground/run.ts";
import { sendForPlayground } from "@/lib/server/outbound/playground-send.ts";

/** Allows calls to agents on this machine, as a sandbox does. */
const outbound = createOutbound({
  policy: { allowsHttp: true, loopback: { allows: "all", except: new Set() } },
  userAgent: "Turnpike (proof)",
});

/** The playground's calls to the service, over the API. */
function serviceOf(payments: Payments, account: string): PlaygroundService {
  const orNull = (cause: unknown) => {
    if (PaymentsError.is(cause) && cause.code === "not_found") return null;
    throw cause;
  };
  return {
    account,
    readPlan: (planId) => payments.plans.getPlan(planId).catch(orNull),
    readBalance: (planId) => payments.plans.getPlanBalance(planId, account),
    mint: ({ planId, agentId }) => payments.x402.getX402AccessToken(planId, agentId ?? null),
    dryVerify: (paymentRequired, x402AccessToken) =>
      payments.facilitator.verifyPermissions({ paymentRequired, x402AccessToken }),
    findRequest: (agentRequestId) => payments.requests.getRequest(agentRequestId).catch(orNull),
    end: async () => null,
  };
}

/** Runs a request as the playground's server does, through its guard. */
export async function playRun(
  { payments, account }: { payments: Payments; account: string },
  request: { url: string; body: unknown },
): Promise<Run> {
  const transport: Transport = async (sent, { signal }) => {
    const events = sendForPlayground({ outbound, account, request: sent, signal });
    for await (const event of events) {
      if (event.type === "done") return { request: sent, ...event.exchange };
    }
    throw new Error("The request had no end.");
  };
  const run = runPlayground({
    input: {
      method: "POST",
      url: request.url,
      headers: [["content-type", "application/json"]],
      body: JSON.stringify(request.body),
      token: { kind: "mint" },
    },
    transport,
    service: serviceOf(payments, account),
    signal: new AbortController().signal,
  });
  for (;;) {
    const { value, done } = await run.next();
    if (done) return value;
  }
}
