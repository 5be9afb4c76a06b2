import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { Strike } from "@/lib/domain/sandbox-ports.ts";

/** Runs a call that a fault of the sandbox struck. */
export async function struck(strike: Strike, run: () => Promise<Response>): Promise<Response> {
  if (strike.kind === "down") {
    throw new PaymentsError("unavailable", "The failure lab has this operation down.", {
      retryAfterSecs: 1,
    });
  }
  if (strike.kind === "slow") {
    await new Promise((wake) => setTimeout(wake, strike.ms));
    return run();
  }
  const { status, headers } = await run();
  // The head of the answer was sent, then the connection broke: the effect is there, and nobody was told.
  const body = new ReadableStream({
    start: (controller) => controller.error(new Error("The failure lab lost this answer.")),
  });
  return new Response(body, { status, headers });
}
