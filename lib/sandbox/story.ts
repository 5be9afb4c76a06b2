import { Payments } from "@turnpike/payments";
import { PaymentsError } from "@turnpike/payments/protocol";
import { STORY_STEPS, type StoryStep, type StoryStepId } from "@/lib/playground/story-steps.ts";
import type { SandboxFile } from "./sandbox-file.ts";
import { callWithoutToken, callWithToken, checkReceipt, compareBalance } from "./story-call.ts";
import { orderCredits, type PlanChoice, readAgent, readPlan } from "./story-order.ts";
import { delegateSpending, mintToken, verifyToken } from "./story-permission.ts";
import {
  describeError,
  type PlanKind,
  StepFailed,
  type StepResult,
  type StoryScene,
} from "./story-step.ts";

export type StoryOptions = {
  sandbox: SandboxFile;
  /** Default: the crypto plan if it can be ordered, else the trial, else the card plan. */
  plan?: PlanKind;
  fetch?: typeof fetch;
  /** Stops before the next step; the current step is finished. */
  signal?: AbortSignal;
};

/**
 * Plays a complete paid call against a running sandbox through the public SDK, and checks each step:
 * plan, agent, order, delegation, token, 402, verify, 200, receipt, balance. The delegation allows one
 * call, and is revoked at the end. Always yields all ten steps unless `signal` stops it. Never throws for a response of the service or the agent.
 *
 * @example for await (const step of runStory({ sandbox })) console.log(step.title, step.ok)
 */
export async function* runStory(options: StoryOptions): AsyncGenerator<StoryStep, void> {
  const scene = buildScene(options);
  let played = 0;
  for await (const step of playSteps(scene, options.plan)) {
    played += 1;
    yield step;
    if (options.signal?.aborted) return;
    if (!step.ok) break;
  }
  for (const { id, title } of STORY_STEPS.slice(played)) {
    const meaning = "Not run, because an earlier step failed.";
    yield { id, title, meaning, ok: false, ran: false, durationMs: 0, facts: {} };
  }
}

function buildScene({ sandbox: given, fetch = globalThis.fetch }: StoryOptions): StoryScene {
  const sandbox = { ...given, subscriber: given.visitor ?? given.subscriber };
  const { url: baseUrl, environment } = sandbox;
  // Without retries, a step takes as long as the service does and fails at once.
  const clientOf = ({ apiKey }: { apiKey: string }) =>
    Payments.getInstance({ apiKey, environment, baseUrl, fetch, maxRetries: 0 });
  return {
    sandbox,
    fetch,
    subscriber: clientOf(sandbox.subscriber),
    builder: clientOf(sandbox.builder),
  };
}

async function* playSteps(scene: StoryScene, kind?: PlanKind): AsyncGenerator<StoryStep, void> {
  const choices = yield* play("plan", () => readPlan(scene, kind));
  if (!choices) return;
  const agent = yield* play("agent", () => readAgent(scene));
  if (!agent) return;
  const choice = yield* play("order", () => orderCredits(scene, choices));
  if (!choice) return;
  const delegationId = yield* play("delegation", () => delegateSpending(scene, choice));
  if (!delegationId) return;
  try {
    yield* playCall(scene, { choice, delegationId });
  } finally {
    // If this fails, it expires within ten minutes.
    await scene.subscriber.delegation.revokeDelegation(delegationId).catch(() => undefined);
  }
}

async function* playCall(
  scene: StoryScene,
  { choice, delegationId }: { choice: PlanChoice; delegationId: string },
): AsyncGenerator<StoryStep, void> {
  const token = yield* play("token", () => mintToken(scene, { choice, delegationId }));
  if (!token) return;
  const offer = yield* play("ask", () => callWithoutToken(scene, choice));
  if (!offer) return;
  const before = yield* play("verify", () => verifyToken(scene, { choice, token, offer }));
  if (!before) return;
  const answer = yield* play("call", () => callWithToken(scene, token));
  if (!answer) return;
  const settlement = yield* play("receipt", () => checkReceipt(scene, { choice, answer, before }));
  if (!settlement) return;
  yield* play("balance", () => compareBalance(scene, { choice, settlement, before }));
}

async function* play<T>(
  id: StoryStepId,
  run: () => Promise<StepResult<T>>,
): AsyncGenerator<StoryStep, T | undefined> {
  const title = STORY_STEPS.find((step) => step.id === id)?.title ?? id;
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  try {
    const { result, ...seen } = await run();
    yield { id, title, ok: true, ran: true, durationMs: elapsed(), ...seen };
    return result;
  } catch (error) {
    const { meaning = "This step failed.", facts = {}, ...seen } = seenOf(error);
    yield {
      id,
      title,
      meaning,
      ok: false,
      ran: true,
      durationMs: elapsed(),
      ...seen,
      facts,
      error: describeError(error),
    };
    return undefined;
  }
}

function seenOf(error: unknown): StepFailed["seen"] {
  if (error instanceof StepFailed) return error.seen;
  if (!PaymentsError.is(error)) return {};
  return {
    meaning: "The service returned an error.",
    facts: { code: error.code, ...(error.requestId && { requestId: error.requestId }) },
  };
}
