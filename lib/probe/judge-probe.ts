import { planIdOf, readScheme, X402PaymentRequired } from "@turnpike/payments/protocol";
import { envelopeOf, type Recording } from "./checks/check.ts";
import { faultsOf, runChecks } from "./checks/run-checks.ts";
import { answerOf } from "./exchange.ts";
import type { Finding, Probe, ProbedOffer, ProbeResult } from "./report/probe.ts";

/** Summarises a recording. `worksWith` is a different method that requires payment. */
export function judgeProbe(recording: Recording, worksWith: string | null = null): Probe {
  const findings = runChecks(recording);
  const answer = answerOf(recording.ask);
  const [worst] = faultsOf(findings, "error");
  return {
    result: resultOf(recording, findings, worksWith),
    why: worksWith
      ? `${worksWith} requires payment, but ${recording.verb} does not.`
      : (worst?.sentence ?? `Requires payment; responded in ${answer?.ms ?? 0} ms.`),
    status: answer?.status ?? null,
    ms: recording.ask.outcome.ms,
    calledUrl: recording.ask.url,
    worksWith,
    findings,
    offers: offersIn(recording),
    envelope: answer?.status === 402 ? envelopeOf(recording.ask) : null,
  };
}

function resultOf(
  { ask }: Recording,
  findings: readonly Finding[],
  worksWith: string | null,
): ProbeResult {
  const status = answerOf(ask)?.status;
  if (status === undefined) return "unreachable";
  if (status === 402) return faultsOf(findings, "error").length > 0 ? "bad-envelope" : "ready";
  if (worksWith || status === 405 || status === 501) return "wrong-method";
  return status >= 200 && status < 300 ? "free" : "unreachable";
}

/** The offers in the endpoint's 402, by the plans that are known here. */
export function offersIn({ ask, known }: Recording): ProbedOffer[] {
  const parsed = X402PaymentRequired.safeParse(envelopeOf(ask));
  if (!parsed.success) return [];
  return parsed.data.accepts.map((offer) => {
    const planId = planIdOf(offer) ?? null;
    return {
      scheme: offer.scheme,
      network: offer.network ?? "",
      planId,
      planName: (planId && known.plans[planId]?.name) || null,
      agentId: offer.extra?.agentId ?? null,
      // Another scheme's amount is money, in its token's base units.
      credits: (readScheme(offer.scheme, known.schemeAliases) && offer.amount) ?? null,
    };
  });
}
