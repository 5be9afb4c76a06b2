import "server-only";
import { type Agent, matchesSegments, normalizePath, pathOf } from "@turnpike/payments/protocol";
import { matchesEndpoint } from "@/lib/domain/plans/agent-url.ts";
import { agentIdIn, envelopeOf, offersOf, type Recording } from "../checks/check.ts";
import { reportChecks } from "../checks/run-checks.ts";
import type { Exchange } from "../exchange.ts";
import { offersIn } from "../judge-probe.ts";
import { askUnpaid, type ProbedEndpoint, type Prober, recordingOf } from "../probe-endpoint.ts";
import { recordRefusals, recordRepeats } from "../record-unpaid.ts";
import { endpointsOf, recordDefinition, recordOpen, recordUnmatched } from "../record-whole.ts";
import type { DoctorEvent, DoctorReport, PaidQuote } from "../report/report.ts";
import {
  balanceOf,
  type CallService,
  type PaidConsent,
  type Payer,
  unlessUnknown,
} from "./payer.ts";
import { quotePaid, readPayable, stockUp } from "./quote-paid.ts";
import { recordPaid } from "./record-paid.ts";

export type Examination = {
  prober: Prober;
  endpoint: ProbedEndpoint;
  /** Public operations of the service. */
  call: CallService;
  payer: Payer | null;
  /** Required for paid checks. */
  consent: PaidConsent | null;
  /** The report's date; for tests. */
  now?: () => Date;
};

const UNPAID_STEPS = 4;
const PAID_STEPS = 5;

/**
 * Runs every check of one endpoint, registered or not: without a token, with unchargeable tokens and, with consent,
 * with paid calls. Yields each step as it starts; the last event is the report.
 */
export async function* examineEndpoint(given: Examination): AsyncGenerator<DoctorEvent> {
  const { prober, endpoint, call, payer, consent, now = () => new Date() } = given;
  const checkedAt = now().toISOString();
  const of = UNPAID_STEPS + (consent ? PAID_STEPS : 0);
  let done = 0;
  const step = (words: string): DoctorEvent => ({ type: "progress", words, done: done++, of });

  yield step("Calling without a token.");
  const ask = await askUnpaid(prober, endpoint);
  let recording: Recording = await recordingOf(prober, endpoint, ask);
  yield step("Calling ten times, and as a browser.");
  recording = { ...recording, ...(await recordRepeats(prober, endpoint, ask)) };
  yield step("Sending unchargeable tokens.");
  recording = { ...recording, ...(await recordRefusals(prober, endpoint, ask)) };
  yield step("Checking the agent as a whole.");
  recording = { ...recording, ...(await recordAgent(prober, endpoint, ask, call)) };
  const quote = await quotePaid(ask, payer);

  let paid: DoctorReport["paid"] = null;
  if (consent) {
    const chosen = await choose(given, ask, quote);
    if (typeof chosen === "string") recording = { ...recording, whyUnpaid: chosen };
    else {
      const { planId } = chosen.payable.plan;
      const before = await balanceOf(chosen.payer, planId);
      const steps = recordPaid({ prober, endpoint, consent, ...chosen });
      const recorded = yield* asSteps(steps, step);
      const after = await balanceOf(chosen.payer, planId);
      paid = {
        planId,
        planName: recorded.plan.name,
        maxCredits: String(consent.maxCredits),
        creditsUsed: String(await creditsOf(chosen.payer, recorded.requestIds)),
        balanceMoved: String(before - after),
      };
      recording = { ...recording, paid: recorded };
    }
  } else recording = { ...recording, whyUnpaid: whyUnpaid(quote) };
  const findings = reportChecks(recording);
  const { verb, url } = endpoint;
  const report = { verb, url, checkedAt, findings, paid, quote };
  yield { type: "end", report, offers: offersIn(recording) };
}

/** Yields the steps of paid calls. Returning early stops them and closes what they opened. */
async function* asSteps<T>(
  steps: AsyncGenerator<string, T>,
  step: (words: string) => DoctorEvent,
): AsyncGenerator<DoctorEvent, T> {
  try {
    for (;;) {
      const next = await steps.next();
      if (next.done) return next.value;
      yield step(next.value);
    }
  } finally {
    await steps.return(undefined as T);
  }
}

const whyUnpaid = (quote: PaidQuote): string =>
  quote.isPossible ? "Paid checks were not requested." : quote.why;

/** The offer the user agreed to pay, or why there is none. */
async function choose({ endpoint, payer, consent }: Examination, ask: Exchange, quote: PaidQuote) {
  if (!payer || !consent) return whyUnpaid(quote);
  if (consent.planId === null && !quote.isPossible) return quote.why;
  const planId = consent.planId ?? (quote.isPossible ? quote.planId : "");
  await stockUp(payer, planId, consent.maxCredits);
  const payable = (await readPayable(ask, payer)).find(({ plan }) => plan.planId === planId);
  if (!payable) return "The endpoint does not offer the plan you agreed to. No credits were used.";
  if (consent.planId === null) {
    const why = await consent.whyElsewhere(payable.offer, endpoint.url);
    if (why !== null) return why;
  }
  return { payer, payable };
}

/** The credits that the service settled for these requests. */
async function creditsOf({ call }: Payer, requestIds: ReadonlySet<string>): Promise<bigint> {
  const records = await Promise.all(
    [...requestIds].map((agentRequestId) =>
      call("getRequest", { agentRequestId }).catch(() => null),
    ),
  );
  const settled = records.filter((record) => record?.moneyStatus === "settled");
  return settled.reduce((sum, record) => sum + BigInt(record?.credits ?? 0), 0n);
}

/** Records other paths and, if the endpoint belongs to the agent in the offer, that agent. */
async function recordAgent(
  prober: Prober,
  { verb, url }: ProbedEndpoint,
  ask: Exchange,
  call: CallService,
): Promise<Partial<Recording>> {
  const unmatched = await recordUnmatched(prober, url);
  const agent = await findAgent(ask, call);
  const endpoints = agent ? endpointsOf(agent) : [];
  const own = endpoints.find((one) => one.verb === verb && isSameEndpoint(one.url, url));
  if (!agent || !own) {
    // As the service decides: it compares paths alone.
    const isRegistered = !agent || matchesEndpoint(endpoints, verb, url);
    return { ...unmatched, ...(!isRegistered && { notAnEndpointOf: agent.agentId }) };
  }
  const { definition, about } = await recordDefinition(prober, agent, endpoints);
  const { isStream } = about(own);
  return {
    ...unmatched,
    ...(await recordOpen(prober, agent, url)),
    definition,
    ...(isStream && { isStream }),
  };
}

async function findAgent(ask: Exchange, call: CallService): Promise<Agent | null> {
  const agentId = offersOf(envelopeOf(ask)).map(agentIdIn).find(Boolean);
  if (!agentId) return null;
  return call("getAgent", { agentId }).catch(unlessUnknown);
}

function isSameEndpoint(registered: string, url: string): boolean {
  if (new URL(url).origin !== new URL(registered, url).origin) return false;
  const [pattern, path] = [normalizePath(pathOf(registered)), normalizePath(pathOf(url))];
  return pattern !== null && path !== null && matchesSegments(pattern, path);
}
