import "server-only";
import type { NextRequest } from "next/server";
import type { z } from "zod";
import { isOwnOrigin } from "@/app/_session/is-own-origin.ts";
import { readSession } from "@/app/_session/session.ts";
import type { Prober } from "@/lib/probe/probe-endpoint.ts";
import { errorAnswer } from "@/lib/server/http/error-answer.ts";
import { getRunning } from "@/lib/server/running.ts";

const MAX_BODY = 512 * 1024;

/**
 * Long work for our own pages, told line by line as it goes: own origin, session, a checked body. It ends
 * when the browser goes.
 */
export async function streamWork<Schema extends z.ZodType, Event>(
  request: NextRequest,
  schema: Schema,
  start: (prober: Prober, input: z.output<Schema>) => AsyncGenerator<Event>,
): Promise<Response> {
  const { env, ports, outbound, limits } = await getRunning();
  if (!isOwnOrigin(request.headers, env.origin)) {
    return refuse(403, "forbidden", "This is called by this site's own pages only.");
  }
  const session = await readSession();
  if (!session) return refuse(401, "unauthorized", "You were signed out. Sign in again.");
  const text = await request.text().catch(() => null);
  if (text === null) return refuse(400, "invalid_input", "The request broke off.");
  if (text.length > MAX_BODY) return refuse(413, "payload_too_large", "This is too much at once.");
  const input = schema.safeParse(readJson(text));
  if (!input.success) {
    const [issue] = input.error.issues;
    const message = `${issue?.path.join(".") || "input"}: ${issue?.message ?? "not valid"}`;
    return refuse(422, "invalid_input", message);
  }
  const { address: account } = session.account;
  const refusal = await limits.outbound(account).then(
    () => null,
    (cause: unknown) => errorAnswer(cause, crypto.randomUUID(), ports.log),
  );
  if (refusal) return refusal;
  const gone = new AbortController();
  request.signal.addEventListener("abort", () => gone.abort(), { once: true });
  const prober = { outbound, ports, account, signal: gone.signal };
  const lines = toLines(start(prober, input.data), gone, (cause) =>
    ports.log.error({ cause: String(cause) }, "a stream of checks broke off"),
  );
  return new Response(lines, {
    headers: {
      "content-type": "application/x-ndjson; charset=utf-8",
      "cache-control": "no-store, private",
      "x-accel-buffering": "no",
    },
  });
}

function toLines<Event>(
  events: AsyncGenerator<Event>,
  gone: AbortController,
  onFault: (cause: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await events.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      } catch (cause) {
        if (!gone.signal.aborted) onFault(cause);
        controller.error(cause);
      }
    },
    async cancel() {
      gone.abort();
      await events.return(undefined);
    },
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refuse = (httpStatus: number, code: string, message: string): Response =>
  Response.json({ code, message, httpStatus }, { status: httpStatus });
