import type { NextRequest } from "next/server";
import * as z from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import type { SendEvent } from "@/lib/playground/exchange.ts";
import type { Prober } from "@/lib/probe/probe-endpoint.ts";
import { testOutbound } from "@/lib/server/http/note-test-calls.ts";
import { sendForPlayground } from "@/lib/server/http/playground-send.ts";
import { openRunCaller } from "@/lib/server/identity/run-payer.ts";
import { getRunning } from "@/lib/server/running.ts";

const MAX_BODY = 1024 * 1024;
const MAX_HEADERS = 100;
const MAX_HEADER = 16_384;

const Sent = z.object({
  method: z.string().max(16),
  url: z.string().max(4096),
  headers: z.array(z.tuple([z.string().max(256), z.string().max(MAX_HEADER)])).max(MAX_HEADERS),
  body: z.string().max(MAX_BODY).nullable().default(null),
  payer: z.enum(["test", "own"]).default("own"),
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
};

/** Sends one request for the person signed in, through the guard, and streams its progress. */
export const POST = (request: NextRequest): Promise<Response> =>
  streamWork<typeof Sent, SendEvent>(request, WORK, send);

type Sender = Prober & { signal: AbortSignal };

async function* send(
  { outbound, account, signal }: Sender,
  { payer, ends, ...sent }: z.output<typeof Sent>,
): AsyncGenerator<SendEvent> {
  const running = await getRunning();
  const isTest = payer === "test";
  const sending = {
    outbound: isTest ? testOutbound(outbound, running.ports) : outbound,
    ...{ account, signal, request: sent },
  };
  try {
    yield* sendForPlayground(sending);
  } finally {
    // Also when the page was closed meanwhile. If this fails, the permission expires in ten minutes.
    if (ends) {
      const person = { account, keyId: null, isOperator: false };
      await openRunCaller(running, person, payer)
        .then((caller) => caller.end(ends))
        .catch((cause) => running.ports.log.warn({ cause: String(cause) }, "a run did not end"));
    }
  }
}
