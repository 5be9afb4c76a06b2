import "server-only";
import type { NextRequest } from "next/server";
import type * as z from "zod";
import { findSender, requireCaller } from "@/app/_session/session.ts";
import type { Caller } from "@/lib/domain/context.ts";
import type { Prober } from "@/lib/probe/probe-endpoint.ts";
import { CLIENT_ADDRESS_HEADER } from "@/lib/server/http/client-address.ts";
import { testOutbound } from "@/lib/server/outbound/note-test-calls.ts";
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
  /** Its requests to agents are tests, which the figures of their builders leave out. */
  isTest?: boolean;
  /** For visitors too. One run counts as this many requests of theirs. */
  visitorPoints?: number;
};

/** Who works, as what the guard counts, and until when. `caller` is null for visitors. */
export type Worker = Prober & { signal: AbortSignal; caller: Caller | null };

/**
 * Long work for this site's own pages: its events are JSON lines of the response as they come. The work's
 * signal aborts when the browser leaves.
 */
export async function streamWork<Schema extends z.ZodType, Event>(
  request: NextRequest,
  { name, isTest = false, ...work }: Streamed<Schema>,
  start: (worker: Worker, input: z.output<Schema>) => AsyncGenerator<Event>,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { env, ports, outbound, visitors, pipeline } = await getRunning();
  const row: Work = {
    access: work.visitorPoints === undefined ? "write" : "public",
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
    const caller = row.access === "public" ? await findSender() : await requireCaller();
    const address = request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
    const who = caller
      ? { outbound, account: caller.account }
      : { outbound: visitors, account: `visitor ${address}` };
    const worker = {
      ...{ ...who, ports, caller, signal: gone.signal },
      outbound: isTest ? testOutbound(who.outbound, ports) : who.outbound,
    };
    const { maxInput: maxBytes } = row;
    await new Promise<void>((started, refused) => {
      const verb = async (_: unknown, parsed: unknown) => {
        started();
        try {
          for await (const event of start(worker, parsed as z.output<Schema>)) {
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
          credentials: caller && { session: caller },
          address,
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
    return errorAnswer(cause, requestId, ports);
  }
}
