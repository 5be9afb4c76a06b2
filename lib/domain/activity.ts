import type { ParsedInputOf, RequestRecord } from "@turnpike/payments/protocol";
import { type Context, notFound, requireCaller } from "./context.ts";
import { pageAnswer } from "./page-answer.ts";

/** One paid request the caller made or served. */
export async function getRequest(
  context: Context,
  { agentRequestId }: ParsedInputOf<"getRequest">,
): Promise<RequestRecord> {
  const { account } = requireCaller(context);
  const record = await context.ports.activity.find(account, agentRequestId);
  if (!record) throw notFound("request", agentRequestId);
  return record;
}

/** What became of a request: the same record, under the facilitator's name for it. */
export const getSettlement = (context: Context, input: ParsedInputOf<"getSettlement">) =>
  getRequest(context, input);

export async function listRequests(context: Context, query: ParsedInputOf<"listRequests">) {
  const { account } = requireCaller(context);
  const page = await context.ports.activity.list(account, query.role, query, query.planId);
  return pageAnswer(page, query);
}
