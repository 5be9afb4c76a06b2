import { PaymentsError } from "@turnpike/payments/protocol";
import type { Judged } from "./judge-answer.ts";
import { OUTCOMES, type Outcome } from "./outcomes.ts";
import { idleStep, type Run, type RunEvent, STEPS, type StepId, type StepResult } from "./run.ts";
import type { Done, EngineOptions, Scene } from "./scene.ts";
import { DO } from "./steps.ts";

/**
 * Drives the six steps of a 402 exchange and tells each as it goes. Nothing is hidden and nothing is
 * guessed: what was not confirmed is told as unknown (§3, §7.2). Throws only when the service itself fails.
 *
 * `for await (const event of runPlayground(options)) show(event)`
 */
export async function* runPlayground(options: EngineOptions): AsyncGenerator<RunEvent, Run> {
  const { input, signal } = options;
  const run: Run = {
    // A pasted token is a secret of the person's: it stays out of what is kept and shared.
    input: input.token.kind === "paste" ? { ...input, token: { kind: "paste", token: "" } } : input,
    startedAt: new Date().toISOString(),
    steps: STEPS.map(({ id }) => idleStep(id)),
    money: null,
    agentRequestId: null,
    requirement: null,
    planId: null,
    planName: null,
    credits: null,
  };
  yield { type: "start", run: structuredClone(run) };

  const scene: Scene = { ...options, run, progress: [] };
  for (const { id } of STEPS) {
    const mayGo = !signal.aborted && (await (options.mayStep?.(id) ?? "go")) === "go";
    if (!mayGo) {
      yield tell(run, { ...idleStep(id), status: "skipped", outcome: "stopped" });
      break;
    }
    yield tell(run, { ...idleStep(id), status: "running" });
    const startedAt = performance.now();
    const work = DO[id](scene).catch((cause: unknown) => toldFailure(id, cause));
    for (;;) {
      const words = scene.progress.shift();
      if (words !== undefined) {
        yield { type: "progress", id, words };
        continue;
      }
      const woken = new Promise<"progress">((wake) => {
        scene.wake = () => wake("progress");
      });
      if ((await Promise.race([work.then(() => "done" as const), woken])) === "done") break;
    }
    const done = await work;
    const outcome: Outcome = OUTCOMES[done.outcome];
    yield tell(run, {
      id,
      status: outcome.status,
      outcome: done.outcome,
      values: done.values,
      facts: done.facts ?? [],
      durationMs: Math.round(performance.now() - startedAt),
      exchange: done.exchange ?? null,
      reason: done.reason ?? null,
    });
    if (outcome.money) run.money = outcome.money;
    if (outcome.money || outcome.status === "error" || outcome.status === "skipped") {
      if (!goesOn(done.outcome)) break;
    }
  }
  for (const step of run.steps) {
    if (step.status === "idle") {
      yield tell(run, { ...idleStep(step.id), status: "skipped", outcome: "not-asked" });
    }
  }
  yield { type: "end", run: structuredClone(run) };
  return run;
}

/** The service itself failed in a step. Once a token was sent nobody can say that nothing was paid. */
function toldFailure(id: StepId, cause: unknown): Done {
  if (!PaymentsError.is(cause)) throw cause;
  const values = { message: `${cause.message} ${cause.hint}` };
  const outcome = id === "pay" || id === "settle" ? "lost-answer" : "service-failed";
  return { outcome, values, reason: cause.code };
}

/** Outcomes after which the exchange goes on although they are no success. */
const goesOn = (outcome: Judged["outcome"]): boolean => outcome === "verify-not-mine";

function tell(run: Run, step: StepResult): RunEvent {
  run.steps = run.steps.map((known) => (known.id === step.id ? step : known));
  return { type: "step", step };
}
