import { PaymentsError } from "@turnpike/payments/protocol";
import { readPublic } from "@/app/_session/operations.ts";
import type { Routed } from "@/components/search-params.ts";
import { readBurns } from "@/lib/server/chain/read-burns.ts";
import { errorAnswer } from "@/lib/server/pipeline/error-answer.ts";
import { getRunning } from "@/lib/server/running.ts";

/** The burns of a receipt's transaction, for the browser that checks it. */
export async function GET(
  _request: Request,
  { params }: Routed<"settlementId">,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { ports } = await getRunning();
  try {
    const settlementId = decodeURIComponent((await params).settlementId);
    const receipt = await readPublic("getReceipt", { settlementId });
    if (!receipt) throw new PaymentsError("not_found", "Receipt not found.");
    const burns = await readBurns(receipt).catch((cause) => {
      throw new PaymentsError("rail_unavailable", "The chain did not respond.", { cause });
    });
    return Response.json({ burns }, { headers: { "cache-control": "no-store" } });
  } catch (cause) {
    return errorAnswer(cause, requestId, ports);
  }
}
