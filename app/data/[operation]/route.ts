import {
  type InputOf,
  type Operation,
  type OperationName,
  operations,
  PaymentsError,
} from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { readSession } from "@/app/_session/session.ts";
import { errorAnswer } from "@/lib/server/http/error-answer.ts";
import { runOperation } from "@/lib/server/http/run-operation.ts";
import { getRunning } from "@/lib/server/running.ts";

/** What moves while a page is looked at: reads of the operations table, by session in place of an API key. */
export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ operation: string }> },
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { ports } = await getRunning();
  try {
    const { operation: name } = await params;
    const row = findRead(name);
    const session = await readSession();
    const caller = session && {
      account: session.account.address,
      keyId: null,
      isOperator: session.account.isOperator,
    };
    const input = Object.fromEntries(request.nextUrl.searchParams) as InputOf<OperationName>;
    const answer = await runOperation(ports, caller, row, input, requestId);
    return Response.json(answer, {
      headers: { "cache-control": "no-store, private", "x-request-id": requestId },
    });
  } catch (cause) {
    return errorAnswer(cause, requestId, ports.log);
  }
}

/** Only operations that change nothing. */
function findRead(name: string): OperationName {
  const row = Object.hasOwn(operations, name)
    ? (operations[name as OperationName] as Operation)
    : undefined;
  if (row?.method === "GET") return name as OperationName;
  throw new PaymentsError("not_found", `There is nothing to read called ${JSON.stringify(name)}.`);
}
