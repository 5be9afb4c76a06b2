import { PaymentsError, toJson } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { findSender } from "@/app/_session/session.ts";
import { READ_AGAIN_HEADER } from "@/components/data/read-operation.ts";
import { CLIENT_ADDRESS_HEADER } from "@/lib/server/http/client-address.ts";
import { errorAnswer } from "@/lib/server/pipeline/error-answer.ts";
import { getRunning } from "@/lib/server/running.ts";

/** What a page reads again while it is open: GET operations, with a session in place of an API key. */
export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ operation: string }> },
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { ports, pipeline } = await getRunning();
  try {
    const { operation: name } = await params;
    const operation = pipeline.find(name);
    if (operation.row.method !== "GET") {
      throw new PaymentsError("not_found", `Operation ${name} is not a read.`);
    }
    const caller = await findSender({ isUse: !request.headers.has(READ_AGAIN_HEADER) });
    const address = request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
    const answer = await pipeline.perform({
      operation,
      ...(caller ? { credentials: { session: caller } } : { credentials: null, address }),
      input: Object.fromEntries(request.nextUrl.searchParams),
      requestId,
    });
    return new Response(toJson(answer), {
      headers: {
        "content-type": "application/json",
        "cache-control": "no-store, private",
        "x-request-id": requestId,
      },
    });
  } catch (cause) {
    return errorAnswer(cause, requestId, ports);
  }
}
