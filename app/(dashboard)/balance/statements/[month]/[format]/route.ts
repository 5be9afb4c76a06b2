import { download } from "@/app/_session/download.ts";
import type { Routed } from "@/components/search-params.ts";
import { StatementDocument } from "@/lib/domain/money/statements.ts";
import { statementDownload } from "@/lib/server/documents/statement-files.ts";

/** A month's statement as a file, written while the browser takes it. */
export async function GET(_: Request, { params }: Routed<"month" | "format">): Promise<Response> {
  const input = await params;
  return download(async ({ perform }) => {
    const answer = await perform("getStatement", input);
    if (StatementDocument.is(answer)) return statementDownload(answer, "spreadsheet");
    throw new TypeError("A statement is a document.");
  });
}
