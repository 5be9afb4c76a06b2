import type { PaidResponse } from "../client/paid-response.ts";
import { inTime } from "../client/waiting/in-time.ts";
import type { RequestRecord } from "../protocol/operations/requests.ts";
import { visibleText } from "../protocol/visible-text.ts";
import type { VerbContext } from "./verb.ts";
import { count } from "./words.ts";

const READ_MS = 10_000;
const FREE: readonly string[] = ["free", "not-charged", "refused"];

/** What is known of a call's charge, for programs. */
export type Charge = "charged" | "none" | "unknown";

/** What became of a paid answer without a receipt in its head, in words and as the service's record of its request. */
export type LateCharge = {
  charge: Charge;
  text: string;
  record?: RequestRecord;
};

/** Asks the service for the charge of a stream that has ended. A key without the right to read calls leaves it unknown. */
export async function readLateCharge(
  context: VerbContext,
  { response, receipt, payment, agentRequestId }: PaidResponse,
): Promise<LateCharge | undefined> {
  if (!response.ok || receipt || payment || agentRequestId === null) return undefined;
  const asked = context.payments().facilitator.getSettlement(agentRequestId);
  const record = await inTime(asked, READ_MS).catch(() => null);
  if (record?.moneyStatus === "settled") {
    return { charge: "charged", text: `${count(record.credits, "credit")} charged.`, record };
  }
  if (record && FREE.includes(record.moneyStatus)) {
    return { charge: "none", text: "Nothing charged.", record };
  }
  return {
    charge: "unknown",
    text: `The charge is not known yet. Look up ${visibleText(agentRequestId)} in Activity.`,
    ...(record && { record }),
  };
}
