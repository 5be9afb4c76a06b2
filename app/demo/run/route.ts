import type { NextRequest } from "next/server";
import { testFetch } from "@/lib/server/outbound/note-test-calls.ts";
import { isOwnOrigin } from "@/lib/server/pipeline/is-own-origin.ts";
import { getRunning } from "@/lib/server/running.ts";
import { findSandbox } from "../find-sandbox.ts";
import { takeTurn } from "../take-turn.ts";

/** Runs the demo with its own API keys and streams its steps as JSON lines. */
export async function POST(request: NextRequest): Promise<Response> {
  const sandbox = await findSandbox();
  if (!sandbox) return refuse(404, "not_found", "The demo is available only in the sandbox.");
  if (!isOwnOrigin(request.headers, sandbox.url)) {
    return refuse(403, "forbidden", "The demo can be run only from its own page.");
  }
  const turn = takeTurn();
  if (!turn)
    return refuse(
      429,
      "rate_limited",
      "Too many visitors are running the demo. Try again shortly.",
    );
  const { signal } = request;
  const { runStory } = await import("@/lib/sandbox/story.ts");
  const { ports } = await getRunning();
  const lines = streamLines(turn, () => runStory({ sandbox, signal, fetch: testFetch(ports) }));
  return new Response(lines, {
    headers: {
      "content-type": "application/x-ndjson; charset=utf-8",
      "cache-control": "no-store, private",
      "x-accel-buffering": "no",
    },
  });
}

function streamLines<T>(
  turn: { ready: Promise<void>; done: () => void },
  start: () => AsyncGenerator<T>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      try {
        await turn.ready;
        for await (const value of start()) {
          controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
        }
        controller.close();
      } catch (error) {
        // The visitor left, or the demo failed unexpectedly: end the stream with an error.
        controller.error(error);
      } finally {
        turn.done();
      }
    },
  });
}

function refuse(httpStatus: number, code: string, message: string): Response {
  return Response.json({ code, message, httpStatus }, { status: httpStatus });
}
