import type { NextRequest } from "next/server";
import { exportCsv, type Run } from "@/app/_session/download.ts";
import { AUDIT_GROUPS } from "@/components/settings/audit-text.ts";
import type { ServiceOutput } from "@/lib/server/pipeline/perform-as.ts";
import { sheetLine } from "@/lib/text/csv.ts";

const HEAD = ["time", "action", "object", "key", "address", "request", "before", "after"];

/** Every change of the account as CSV, newest first. */
export async function GET(request: NextRequest): Promise<Response> {
  const show = request.nextUrl.searchParams.get("show") ?? "";
  const keyId = request.nextUrl.searchParams.get("key");
  return exportCsv(request, async (run) => {
    const query = {
      limit: 100,
      ...(show in AUDIT_GROUPS && { action: show }),
      ...(keyId && { keyId }),
    };
    // Read before the response begins, so that a refusal is its status.
    const first = await run("listAudit", query);
    return { lines: linesOf(run, query, first), fileName: "audit.csv" };
  });
}

async function* linesOf(
  run: Run,
  query: { limit: number; action?: string; keyId?: string },
  first: ServiceOutput<"listAudit">,
): AsyncGenerator<string> {
  yield sheetLine(HEAD);
  for (let page = first; ; ) {
    for (const entry of page.items) {
      const { createdAt, action, subject, keyId, address, requestId, before, after } = entry;
      yield sheetLine([
        ...[createdAt, action, subject, keyId, address, requestId],
        ...[before, after].map((members) => members && JSON.stringify(members)),
      ]);
    }
    if (!page.nextCursor) return;
    page = await run("listAudit", { ...query, cursor: page.nextCursor });
  }
}
