import type { NextRequest } from "next/server";
import * as z from "zod";
import { streamWork, type Worker } from "@/app/_session/stream-work.ts";
import { DEFAULT_LIMIT_SECS, type SendEvent, TIME_LIMITS } from "@/lib/playground/exchange.ts";
import { openRunCaller } from "@/lib/server/identity/run-payer.ts";
import { testOutbound } from "@/lib/server/outbound/note-test-calls.ts";
import { sendForPlayground } from "@/lib/server/outbound/playground-send.ts";
import { getRunning } from "@/lib/server/running.ts";

const MAX_BODY = 1024 * 1024;
const MAX_HEADERS = 100;
const MAX_HEADER = 16_384;
const [MIN_LIMIT_SECS, MAX_LIMIT_SECS] = [Math.min(...TIME_LIMITS), Math.max(...TIME_LIMITS)];

const Sent = z.object({
  method: z.string().max(16),
  url: z.string().max(4096),
  headers: z.array(z.tuple([z.string().max(256), z.string().max(MAX_HEADER)])).max(MAX_HEADERS),
  body: z.string().max(MAX_BODY).nullable().default(null),
  payer: z.enum(["test", "own"]).default("own"),
  /** How long the request may take. */
  limitSecs: z.number().int().min(MIN_LIMIT_SECS).max(MAX_LIMIT_SECS).default(DEFAULT_LIMIT_SECS),
  /** What the run opened, revoked once this request has its response. */
  ends: z
    .object({
      delegationId: z.string().max(64),
      tokenId: z.string().max(64),
      isItsOwn: z.boolean(),
    })
    .optional(),
});

const WORK = {
  name: "sendForPlayground",
  input: Sent,
  maxInput: 2 * MAX_BODY + MAX_HEADERS * MAX_HEADER,
  visitorPoints: 1,
};

/** Sends one request through the guard, without an account too, and streams its progress. */
export const POST = (request: NextRequest): Promise<Response> =>
  streamWork<typeof Sent, SendEvent>(request, WORK, send);

async function* send(
  { outbound, account, signal, caller }: Worker,
  { payer, ends, limitSecs, ...sent }: z.output<typeof Sent>,
): AsyncGenerator<SendEvent> {
  const running = await getRunning();
  const isTest = payer === "test";
  const sending = {
    outbound: isTest ? testOutbound(outbound, running.ports) : outbound,
    ...{ account, signal, request: sent, limitSecs },
  };
  try {
    yield* sendForPlayground(sending);
  } finally {
    // Also when the page was closed meanwhile. If this fails, the permission expires in ten minutes.
    if (caller && ends) {
      await openRunCaller(running, caller, payer)
        .then((opened) => opened.end(ends))
        .catch((cause) => running.ports.log.warn({ cause: String(cause) }, "a run did not end"));
    }
  }
}
