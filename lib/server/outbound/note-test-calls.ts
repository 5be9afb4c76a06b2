import "server-only";
import { decodePaymentRequired, planIdOf, X402_HEADERS } from "@turnpike/payments/protocol";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Ports, TestCall } from "@/lib/domain/ports.ts";

type Noting = Pick<Ports, "testCalls" | "log">;
type Answered = Omit<TestCall, "planIds"> & { offer: string | null };

/** Notes a request of a test that was answered 402, so that its builder's figures leave it out. */
async function note({ testCalls, log }: Noting, { offer, ...answered }: Answered) {
  const planIds = (offer && decodePaymentRequired(offer)?.accepts.map(planIdOf)) || [];
  const known = planIds.filter((id): id is string => typeof id === "string" && /^\d+$/.test(id));
  if (known.length === 0) return;
  const call = { ...answered, planIds: known, method: answered.method.toUpperCase() };
  await testCalls
    .note(call)
    .catch((cause) => log.warn({ cause: String(cause) }, "a test call was not noted"));
}

export const testOutbound = (outbound: Outbound, ports: Noting): Outbound => ({
  async *send(request) {
    for await (const event of outbound.send(request)) {
      if (event.type === "headers" && event.status === 402) {
        const { account, method, url } = request;
        const offer = new Headers(event.headers).get(X402_HEADERS.PAYMENT_REQUIRED);
        await note(ports, { account, method, url, durationMs: event.ms, offer });
      }
      yield event;
    }
  },
});

export const testFetch =
  (ports: Noting): typeof fetch =>
  async (input, init) => {
    const start = performance.now();
    const response = await fetch(input, init);
    if (response.status === 402) {
      const { method, url } = new Request(input, { method: init?.method ?? "GET" });
      const offer = response.headers.get(X402_HEADERS.PAYMENT_REQUIRED);
      await note(ports, { method, url, durationMs: performance.now() - start, offer });
    }
    return response;
  };
