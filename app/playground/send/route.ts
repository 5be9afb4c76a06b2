import type { NextRequest } from "next/server";
import * as z from "zod";
import { streamWork } from "@/app/_session/stream-work.ts";
import type { SendEvent } from "@/lib/playground/exchange.ts";
import { sendForPlayground } from "@/lib/server/http/playground-send.ts";

const MAX_BODY = 1024 * 1024;
const MAX_HEADERS = 100;
const MAX_HEADER = 16_384;

const Sent = z.object({
  method: z.string().max(16),
  url: z.string().max(4096),
  headers: z.array(z.tuple([z.string().max(256), z.string().max(MAX_HEADER)])).max(MAX_HEADERS),
  body: z.string().max(MAX_BODY).nullable().default(null),
});

const WORK = {
  name: "sendForPlayground",
  input: Sent,
  maxInput: 2 * MAX_BODY + MAX_HEADERS * MAX_HEADER,
};

/** Sends one request for the person signed in, through the guard, and streams its progress. */
export const POST = (request: NextRequest): Promise<Response> =>
  streamWork<typeof Sent, SendEvent>(request, WORK, ({ outbound, account, signal }, sent) =>
    sendForPlayground({ outbound, account, request: sent, signal }),
  );
