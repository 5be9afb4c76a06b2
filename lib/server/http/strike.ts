import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { CallFault } from "@/lib/domain/sandbox-ports.ts";

/** Runs a call of the API that a fault of the sandbox struck. */
export async function struck(strike: CallFault, run: () => Promise<Response>): Promise<Response> {
  await strikeFirst(strike);
  if (strike.kind !== "reply-lost") return run();
  const { status, headers } = await run();
  // The head of the answer was sent, then the connection broke: the effect is there, and nobody was told.
  const body = new ReadableStream({
    start: (controller) => controller.error(new Error("The failure lab lost this answer.")),
  });
  return new Response(body, { status, headers });
}

/** The same for a page's own change, which has no connection to lose: it fails after its effect. */
export async function struckChange<T>(strike: CallFault, run: () => Promise<T>): Promise<T> {
  await strikeFirst(strike);
  const done = await run();
  if (strike.kind !== "reply-lost") return done;
  throw new PaymentsError("unavailable", "The failure lab lost this answer.", {
    retryAfterSecs: 1,
  });
}

/** What a fault does before a call has any effect. */
async function strikeFirst(strike: CallFault): Promise<void> {
  if (strike.kind === "down") {
    throw new PaymentsError("unavailable", "The failure lab has this operation down.", {
      retryAfterSecs: 1,
    });
  }
  if (strike.kind === "slow") await new Promise((wake) => setTimeout(wake, strike.ms));
}
