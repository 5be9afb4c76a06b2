import type { ReportedRequest, RequestQuery } from "@turnpike/payments/protocol";
import { type Context, notFound, requireCaller } from "../context.ts";
import { pageAnswer } from "../page-answer.ts";
import type { Verb } from "../verb.ts";
import type { RequestFilter, RequestSighting } from "./activity-ports.ts";
import { mergeAttempts } from "./charged-attempts.ts";
import { EVENT_STATUSES, type EventStatus } from "./refusals.ts";

/** One request the caller or their test customer made, or the caller served. */
export const getRequest: Verb<"getRequest"> = async (context, { agentRequestId }) => {
  const { account } = requireCaller(context);
  const { accounts, activity } = context.ports;
  let record = await activity.find(account, agentRequestId);
  const customer = record ? null : await accounts.findTestCustomer(account);
  if (customer) record = await activity.find(customer.address, agentRequestId);
  if (!record) throw notFound("request", agentRequestId);
  return record;
};

/** What became of a request: the same record, under the facilitator's name for it. */
export const getSettlement: Verb<"getSettlement"> = (context, input) => getRequest(context, input);

export async function listRequests(context: Context, query: RequestQuery) {
  const { account } = requireCaller(context);
  const page = await context.ports.activity.list(account, filterOf(query), query);
  return pageAnswer(page, query);
}

/**
 * What gates saw. A row of a plan or agent that is not the caller's is ignored, two of one request are one,
 * and none of them moves credits or says that they moved.
 */
export const reportRequests: Verb<"reportRequests"> = async (context, { batchId, requests }) => {
  const { account } = requireCaller(context);
  const { clock, crypto, activity, refusals, testCalls } = context.ports;
  const nameOf = (request: ReportedRequest, index: number) => {
    if (request.agentRequestId) return request.agentRequestId;
    // Named by its batch, so that a batch that is sent twice is one.
    if (batchId) return `seen-${crypto.digest(`${batchId}/${index}`).slice(0, 32)}`;
    return `seen-${crypto.randomId()}`;
  };
  const merged = new Map<string, RequestSighting>();
  requests.forEach((request, index) => {
    const agentRequestId = nameOf(request, index);
    const at = instantOf(request.at).toISOString();
    const sighting = { ...request, agentRequestId, at };
    merged.set(agentRequestId, mergeAttempts(merged.get(agentRequestId), sighting));
  });
  const sightings = [...merged.values()];
  const countOf = (status: EventStatus) =>
    sightings.filter(({ moneyStatus }) => moneyStatus === status).length;
  const now = await clock.now();
  const silent = EVENT_STATUSES.filter(
    (status) => !refusals.hasEvents(`${status} ${account}`, now, countOf(status)),
  );
  const { accepted, declined } = await activity.report(account, sightings, silent);
  // Anyone can have calls refused with made-up tokens, which are no events: they use none up.
  if (!silent.includes("refused")) {
    refusals.giveBack(`refused ${account}`, countOf("refused") - declined);
  }
  await testCalls.match(account);
  return { accepted };
};

function filterOf({ since, until, ...query }: RequestQuery): RequestFilter {
  return {
    ...query,
    ...(since !== undefined && { since: instantOf(since) }),
    ...(until !== undefined && { until: instantOf(until) }),
  };
}

const LAST_INSTANT = Date.parse("9999-12-31T23:59:59Z");

/** An instant within what every database holds. */
const instantOf = (text: string): Date =>
  new Date(Math.min(Math.max(Date.parse(text), 0), LAST_INSTANT));
