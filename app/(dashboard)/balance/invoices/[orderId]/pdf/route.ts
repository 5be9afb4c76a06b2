import { download } from "@/app/_session/download.ts";
import { invoiceDownload } from "@/lib/server/documents/invoice-pdf.ts";

type Params = { params: Promise<{ orderId: string }> };

/** An order's invoice as a PDF, for its seller and its buyer. */
export async function GET(_: Request, { params }: Params): Promise<Response> {
  const input = await params;
  return download(async ({ run }) => invoiceDownload(await run("getInvoice", input)));
}
