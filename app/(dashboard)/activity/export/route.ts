import type { InputOf, OutputOf, RequestRecord } from "@turnpike/payments/protocol";
import type { NextRequest } from "next/server";
import { exportCsv } from "@/app/_session/download.ts";
import { requestQuery } from "@/components/activity/filter/activity-filter.ts";
import { readActivityFilter } from "@/components/activity/filter/read-activity-filter.ts";
import { sheetLine } from "@/lib/text/csv.ts";

const PAGE = 100;

const COLUMNS = [
  "at",
  "agentRequestId",
  "method",
  "path",
  "planId",
  "agentId",
  "payer",
  "tokenId",
  "httpStatus",
  "moneyStatus",
  "credits",
  "paid",
  "seller",
  "reason",
  "cause",
  "whoActs",
  "verifyMs",
  "workMs",
  "settleMs",
  "scheme",
  "settledAt",
  "settlementId",
  "transaction",
  "chainStatus",
] as const satisfies readonly (keyof RequestRecord)[];

/** Streams every request that matches the list's filter as CSV, page by page. */
export async function GET(request: NextRequest): Promise<Response> {
  return exportCsv(request, async (run) => {
    const filter = readActivityFilter(Object.fromEntries(request.nextUrl.searchParams), "builder");
    const { role, range } = filter;
    const { buckets } = await run("getActivitySeries", { role, range });
    const query = requestQuery(filter, buckets[0]?.at ?? new Date(0).toISOString());
    const list = (input: InputOf<"listRequests">) => run("listRequests", input);
    const first = await list({ ...query, limit: PAGE });
    const day = buckets.at(-1)?.at.slice(0, 10) ?? "";
    return { lines: linesOf(first, query, list), fileName: `requests-${role}-${day}.csv` };
  });
}

/** Money is its value; the ledger pays by `exact` in USDC alone. */
const cellOf = (cell: RequestRecord[(typeof COLUMNS)[number]]) =>
  typeof cell === "object" ? (cell.value ?? cell.amount) : cell;

async function* linesOf(
  first: OutputOf<"listRequests">,
  query: InputOf<"listRequests">,
  list: (input: InputOf<"listRequests">) => Promise<OutputOf<"listRequests">>,
) {
  yield sheetLine(COLUMNS);
  let page = first;
  for (;;) {
    yield page.items.map((row) => sheetLine(COLUMNS.map((name) => cellOf(row[name])))).join("");
    if (!page.nextCursor) return;
    page = await list({ ...query, limit: PAGE, cursor: page.nextCursor });
  }
}
