import { PaymentsError } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { z } from "zod";
import { isOwnOrigin } from "@/app/_session/is-own-origin.ts";
import { readSession } from "@/app/_session/session.ts";
import { errorAnswer } from "@/lib/server/http/error-answer.ts";
import { sendForPlayground } from "@/lib/server/http/playground-send.ts";
import { getRunning } from "@/lib/server/running.ts";

const MAX_BODY = 1024 * 1024;

const Sent = z.object({
  method: z.string().max(16),
  url: z.string().max(4096),
  headers: z.array(z.tuple([z.string().max(256), z.string().max(16_384)])).max(100),
  body: z.string().max(MAX_BODY).nullable(),
});

/** Sends one request for the signed-in user through the guard, and streams its progress as JSON lines. */
export async function POST(request: NextRequest): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { env, ports, outbound, limits } = await getRunning();
  try {
    if (!isOwnOrigin(request.headers, env.origin)) {
      throw new PaymentsError(
        "forbidden",
        "Requests are accepted only from this site's own pages.",
      );
    }
    const session = await readSession();
    if (!session) throw new PaymentsError("unauthorized", "Sign in to run from the server.");
    const parsed = Sent.safeParse(await request.json().catch(() => null));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new PaymentsError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}`);
    }
    await limits.outbound(session.account.address);
    const events = sendForPlayground({
      outbound,
      account: session.account.address,
      request: parsed.data,
      signal: request.signal,
    });
    return new Response(asLines(events), {
      headers: {
        "content-type": "application/x-ndjson; charset=utf-8",
        "cache-control": "no-store, private",
        "x-accel-buffering": "no",
      },
    });
  } catch (cause) {
    return errorAnswer(cause, requestId, ports.log);
  }
}

function asLines(events: AsyncGenerator<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    async cancel() {
      await events.return(undefined);
    },
  });
}
