import { PaymentsError } from "@turnpike/payments/protocol";
import type { Exchange } from "./exchange.ts";
import { hideSecrets } from "./known-secrets.ts";
import { OUTCOMES, type Outcome } from "./outcomes.ts";
import {
  idleStep,
  type Run,
  type RunEvent,
  type RunInput,
  STEPS,
  type StepId,
  type StepResult,
} from "./run.ts";
import { checkOffer } from "./steps/check-offer.ts";
import { checkSettlement } from "./steps/check-settlement.ts";
import { choosePermission } from "./steps/choose-permission.ts";
import { requestWithPayment } from "./steps/request-with-payment.ts";
import { requestWithoutPayment } from "./steps/request-without-payment.ts";
import type { StepContext, StepEnd } from "./steps/step.ts";
import { verifyToken } from "./steps/verify-token.ts";

export type EngineOptions = Omit<StepContext, "onProgress" | "onPartial"> & {
  /** A run that ended at the offer, to be continued from there: its first request is not sent again. */
  resumes?: Run;
  /** Called before each step; `stop` ends the run there. Single steps and the confirmation in live use it. */
  mayStep?: (id: StepId) => Promise<"go" | "stop">;
};

/**
 * Runs the six steps of a 402 exchange and reports each as it goes. Nothing is guessed: what was not confirmed
 * is reported as unknown (§3, §7.2). The permission it opened ends with it. Throws only when the service itself fails.
 *
 * `for await (const event of runPlayground(options)) show(event)`
 */
export async function* runPlayground(options: EngineOptions): AsyncGenerator<RunEvent, Run> {
  const asked = options.resumes?.steps.find(({ outcome }) => outcome === "challenged");
  const run = startRun(options.input, asked);
  yield { type: "start", run: structuredClone(run) };
  try {
    yield* runSteps(run, options, asked?.exchange);
  } finally {
    run.permission = await options.service.end();
  }
  for (const { id, status } of run.steps) {
    if (status === "idle") {
      yield setStep(run, { ...idleStep(id), status: "skipped", outcome: "not-asked" });
    }
  }
  yield { type: "end", run: structuredClone(run) };
  return run;
}

const startRun = (input: RunInput, asked?: StepResult): Run => ({
  // A pasted token is a secret: it stays out of what is kept and shared.
  input: input.token.kind === "paste" ? { ...input, token: { kind: "paste", token: "" } } : input,
  startedAt: new Date().toISOString(),
  steps: STEPS.map(({ id }) => (id === "ask" && asked ? asked : idleStep(id))),
  money: null,
  agentRequestId: null,
  requirement: null,
  planId: null,
  planName: null,
  credits: null,
});

/** Each step takes what the ones before it found, so none can run without them. */
async function* runSteps(
  run: Run,
  options: EngineOptions,
  asked: Exchange | null = null,
): AsyncGenerator<RunEvent, void> {
  const play = <Found>(id: StepId, step: (context: StepContext) => Promise<StepEnd<Found>>) =>
    runStep({ run, options, id, step });

  const unpaid = asked ?? (yield* play("ask", requestWithoutPayment));
  if (!unpaid) return;
  const offer = yield* play("offer", (context) => checkOffer(context, unpaid));
  if (!offer) return;
  const permission = yield* play("permission", (context) => choosePermission(context, offer));
  if (!permission) return;
  const verified = yield* play("verify", (context) => verifyToken(context, { offer, permission }));
  if (!verified) return;
  const paid = yield* play("pay", (context) =>
    requestWithPayment(context, { permission, verified }),
  );
  if (!paid) return;
  yield* play("settle", (context) => checkSettlement(context, { permission, verified, paid }));
}

type StepRun<Found> = {
  run: Run;
  options: EngineOptions;
  id: StepId;
  step: (context: StepContext) => Promise<StepEnd<Found>>;
};

/** Runs one step and records its result; returns what it found, or null when the exchange ends there. */
async function* runStep<Found>(given: StepRun<Found>): AsyncGenerator<RunEvent, Found | null> {
  const { run, options, id, step } = given;
  const mayGo = !options.signal.aborted && (await (options.mayStep?.(id) ?? "go")) === "go";
  if (!mayGo) {
    yield setStep(run, { ...idleStep(id), status: "skipped", outcome: "stopped" });
    return null;
  }
  if (id === "pay") yield { type: "paying", run: lostRun(run) };
  yield setStep(run, { ...idleStep(id), status: "running" });
  const startedAt = performance.now();
  const news: RunEvent[] = [];
  let isDone = false;
  let wake = () => {};
  const report = (event: RunEvent) => {
    news.push(event);
    wake();
  };
  const work = step({
    ...options,
    onProgress: (words) => report({ type: "progress", id, words }),
    onPartial: (answer) => report({ type: "partial", id, answer }),
  })
    .catch((cause: unknown) => describeFailure(id, cause))
    .finally(() => {
      isDone = true;
      wake();
    });
  while (!isDone || news.length > 0) {
    const next = news.shift();
    if (next !== undefined) yield next;
    else
      await new Promise<void>((resume) => {
        wake = resume;
      });
  }
  const {
    outcome,
    values,
    facts = [],
    exchange = null,
    reason = null,
    changes,
    found,
  } = await work;
  const kept = hideSecrets({ values, facts, exchange }, options.input.headers);
  const { status, money }: Outcome = OUTCOMES[outcome];
  const durationMs = Math.round(performance.now() - startedAt);
  yield setStep(run, { id, status, outcome, ...kept, durationMs, reason });
  Object.assign(run, changes, money && { money });
  return found;
}

/** A run whose page was left while it paid. */
function lostRun(run: Run): Run {
  const { status, money }: Outcome = OUTCOMES["lost-answer"];
  const values = { message: "The page was left before the run had ended." };
  const steps = run.steps.map((step): StepResult => {
    if (step.id === "pay") return { ...step, status, outcome: "lost-answer", values };
    return step.status === "idle" ? { ...step, status: "skipped", outcome: "not-asked" } : step;
  });
  return structuredClone({ ...run, steps, ...(money && { money }) });
}

/** The service itself failed. Once a token has been sent, the payment is unknown. */
function describeFailure(id: StepId, cause: unknown): StepEnd {
  if (!PaymentsError.is(cause)) throw cause;
  const values = { message: `${cause.message} ${cause.hint}` };
  const outcome = id === "pay" || id === "settle" ? "lost-answer" : "service-failed";
  return { outcome, values, reason: cause.code, found: null };
}

function setStep(run: Run, step: StepResult): RunEvent {
  run.steps = run.steps.map((known) => (known.id === step.id ? step : known));
  return { type: "step", step };
}
