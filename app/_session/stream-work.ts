import "server-only";
import type { NextRequest } from "next/server";
import type * as z from "zod";
import { requireCaller } from "@/app/_session/session.ts";
import type { Prober } from "@/lib/probe/probe-endpoint.ts";
import { errorAnswer } from "@/lib/server/pipeline/error-answer.ts";
import { requireOwnOrigin } from "@/lib/server/pipeline/is-own-origin.ts";
import { readBody, readText } from "@/lib/server/pipeline/read-input.ts";
import type { Work } from "@/lib/server/pipeline/served-operations.ts";
import { getRunning } from "@/lib/server/running.ts";

const MAX_INPUT = 512 * 1024;
const HEADERS = {
  "content-type": "application/x-ndjson; charset=utf-8",
  "cache-control": "no-store, private",
  "x-accel-buffering": "no",
};

/** Work that a page starts and follows; `name` is its name in the metrics. */
type Streamed<Schema extends z.ZodType> = {
  name: string;
  input: Schema;
  maxInput?: number;
  span?: Work["span"];
};

/**
 * Long work for this site's own pages: its events are JSON lines of the response as they come. The work's
 * signal aborts when the browser leaves.
 */
export async function streamWork<Schema extends z.ZodType, Event>(
  request: NextRequest,
  { name, ...work }: Streamed<Schema>,
  start: (
    prober: Prober & { signal: AbortSignal },
    input: z.output<Schema>,
  ) => AsyncGenerator<Event>,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { env, ports, outbound, pipeline } = await getRunning();
  const row: Work = {
    access: "write",
    scope: "activity",
    stepUp: false,
    callerReadBy: "pipeline",
    lane: "outbound",
    maxInput: MAX_INPUT,
    span: undefined,
    ...work,
  };
  const gone = new AbortController();
  request.signal.addEventListener("abort", () => gone.abort(), { once: true });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  writer.closed.catch(() => gone.abort());
  const encoder = new TextEncoder();
  const isWritten = (line: Uint8Array) =>
    writer.write(line).then(
      () => true,
      () => false,
    );

  try {
    requireOwnOrigin(request.headers, env.origin);
    const caller = await requireCaller();
    const { maxInput: maxBytes } = row;
    await new Promise<void>((started, refused) => {
      const verb = async (_: unknown, parsed: unknown) => {
        started();
        const prober = { outbound, ports, account: caller.account, signal: gone.signal };
        try {
          for await (const event of start(prober, parsed as z.output<Schema>)) {
            const line = encoder.encode(`${JSON.stringify(event)}\n`);
            if (!(await isWritten(line))) return;
          }
        } catch (cause) {
          if (!gone.signal.aborted) throw cause;
        }
      };
      pipeline
        .perform({
          operation: { name, row, verb },
          credentials: { session: caller },
          requestId,
          async read() {
            const text = await readText(request, { maxBytes, log: ports.log });
            return { operation: { name, row, verb }, input: readBody(text, maxBytes) };
          },
        })
        .then(() => writer.close())
        .catch((cause) => {
          refused(cause);
          return writer.abort(cause);
        })
        .catch(() => {});
    });
    return new Response(readable, { headers: HEADERS });
  } catch (cause) {
    return errorAnswer(cause, requestId, ports.log);
  }
}
