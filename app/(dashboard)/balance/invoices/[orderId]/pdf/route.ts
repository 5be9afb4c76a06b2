import { download } from "@/app/_session/download.ts";
import type { Routed } from "@/components/search-params.ts";
import { invoiceDownload } from "@/lib/server/documents/invoice-pdf.ts";

/** An order's invoice as a PDF, for its seller and its buyer. */
export async function GET(_: Request, { params }: Routed<"orderId">): Promise<Response> {
  const input = await params;
  return download(async ({ run }) => invoiceDownload(await run("getInvoice", input)));
}
