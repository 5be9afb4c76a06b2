import type { InputOf, OutputOf, RequestRecord } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { readSession } from "@/app/_session/session.ts";
import { requestQuery } from "@/components/activity/activity-filter.ts";
import { csvLine, csvResponse, csvStream } from "@/components/activity/csv.ts";
import { readActivityFilter } from "@/components/activity/read-activity-filter.ts";
import { errorAnswer } from "@/lib/server/error-answer.ts";
import { runOperation } from "@/lib/server/run-operation.ts";
import { getRunning } from "@/lib/server/running.ts";

const PAGE = 100;

const COLUMNS = [
  "at",
  "agentRequestId",
  "method",
  "path",
  "planId",
  "agentId",
  "payer",
  "httpStatus",
  "moneyStatus",
  "credits",
  "reason",
  "verifyMs",
  "workMs",
  "settleMs",
  "scheme",
  "settledAt",
  "settlementId",
  "transaction",
  "chainStatus",
] as const satisfies readonly (keyof RequestRecord)[];

/** Every request that passes the list's filter, as CSV, page by page as it is taken. */
export async function GET(request: NextRequest): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { ports } = await getRunning();
  try {
    const session = await readSession();
    const { address, isOperator } = session?.account ?? {};
    const caller = address
      ? { account: address, keyId: null, isOperator: isOperator === true }
      : null;
    const filter = readActivityFilter(Object.fromEntries(request.nextUrl.searchParams), "builder");
    const list = (input: InputOf<"listRequests">) =>
      runOperation(ports, caller, "listRequests", input, requestId);
    const { role, range } = filter;
    const series = await runOperation(
      ports,
      caller,
      "getActivitySeries",
      { role, range },
      requestId,
    );
    const query = requestQuery(filter, series.buckets[0]?.at ?? new Date(0).toISOString());
    // Read before the answer begins, so that a refusal is an answer of its own.
    const first = await list({ ...query, limit: PAGE });
    const day = series.buckets.at(-1)?.at.slice(0, 10) ?? "";
    return csvResponse(csvStream(linesOf(first, query, list)), `requests-${role}-${day}.csv`);
  } catch (cause) {
    return errorAnswer(cause, requestId, ports.log);
  }
}

async function* linesOf(
  first: OutputOf<"listRequests">,
  query: InputOf<"listRequests">,
  list: (input: InputOf<"listRequests">) => Promise<OutputOf<"listRequests">>,
) {
  yield csvLine(COLUMNS);
  let page = first;
  for (;;) {
    yield page.items.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join("");
    if (!page.nextCursor) return;
    page = await list({ ...query, limit: PAGE, cursor: page.nextCursor });
  }
}
