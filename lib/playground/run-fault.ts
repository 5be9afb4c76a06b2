import type { FaultName } from "@/lib/sandbox/operations.ts";
import { runPlayground } from "./engine.ts";
import {
  type Arming,
  type Ending,
  type FaultText,
  type LabToken,
  type PlanFault,
  railOf,
} from "./faults.ts";
import { type FaultPlan, type LabPlaces, pathOn, planOn, type Rail } from "./lab-places.ts";
import type { PlaygroundService, RunPermission, Transport } from "./ports.ts";
import { decidingStep, type Run, type RunEvent, type RunInput } from "./run.ts";

/** The service as the failure lab calls it, on behalf of the test customer. Methods throw `PaymentsError`. */
export interface LabService {
  order(planId: string): Promise<void>;
  mint(wanted: {
    planId: string;
    agentId?: string;
    request: Pick<RunInput, "url" | "method">;
    durationSecs?: number;
    calls?: number;
    spendingLimitCents?: bigint;
    paymentMethodId?: string;
  }): Promise<{ accessToken: string; permission: RunPermission }>;
  revoke(permission: RunPermission): Promise<void>;
  saveCard(testCard: string): Promise<string>;
  removeCard(paymentMethodId: string): Promise<void>;
  arm(fault: FaultName, planId: string, times: number): Promise<string>;
  disarm(faultId: string): Promise<void>;
  /** What the test customer has on chain, in millionths of a dollar; topped up first if asked. */
  money(wanted: { isToppedUp: boolean }): Promise<bigint>;
}

/** An endpoint to rehearse on, in place of the lab's. */
export type OwnEndpoint = { planId: string; request: RunInput };

export type LabOptions = {
  own?: OwnEndpoint | null;
  /** The selected rail; a fault that applies to one rail runs on that one. */
  rail: Rail;
  places: LabPlaces;
  lab: LabService;
  service: PlaygroundService;
  transport: Transport;
  signal: AbortSignal;
};

/** How a fault's run ended, and whether that is as expected. */
export type FaultResult = { faultId: string; run: Run; actual: Ending | null; holds: boolean };

const LOOK_FOR_MS = 2_500;
const BODY = '{"question":"Does it hold?"}';
const FEW_CREDITS = 5n;

const planIdOf = (plan: FaultPlan, { own, places, rail }: LabOptions): string =>
  own?.planId ?? places.plans[planOn(rail, plan)];

/** Always undone after the run, in reverse order. */
type Undo = (() => Promise<void>)[];

/**
 * Produces a fault for real, runs against it and cleans up, even when stopped. Yields the run's events and returns
 * how it ended. Throws when the fault could not be produced.
 */
export async function* runFault(
  fault: PlanFault,
  given: LabOptions,
): AsyncGenerator<RunEvent, FaultResult> {
  const options = { ...given, rail: railOf(fault, given.rail) };
  const { places, lab, service, transport, signal } = options;
  const { recipe } = fault;
  const undo: Undo = [];
  const request =
    options.own?.request ?? labRequest(`${places.url}${pathOn(options.rail, recipe.path)}`);
  try {
    if (recipe.plan) await stockUp(fault, options, { request, undo });
    const { token, permission } = await prepareToken(recipe.token, options, { request, undo });
    const counted =
      fault.expected.credits === null ? null : planIdOf(recipe.plan ?? "card", options);
    const before = counted && (await readCredits(service, counted));
    const arm = async ({ fault: name, plan, times }: Arming) => {
      const faultId = await lab.arm(name, planIdOf(plan, options), times);
      undo.push(() => lab.disarm(faultId));
    };
    if (recipe.arm && !recipe.arm.before) await arm(recipe.arm);
    const events = runPlayground({
      input: { ...request, token },
      service,
      signal,
      lookForMs: LOOK_FOR_MS,
      transport: recipe.during === "send-twice" ? twice(transport) : transport,
      mayStep: async (id) => {
        if (recipe.arm?.before === id) await arm(recipe.arm);
        if (recipe.during === "revoke" && id === "pay" && permission) {
          await lab.revoke({ ...permission, isItsOwn: false });
        }
        if (recipe.during === "order" && id === "permission") {
          await lab.order(planIdOf(recipe.plan ?? "changing", options));
        }
        return "go";
      },
    });
    const run = yield* events;
    const after = counted && (await readCredits(service, counted));
    const credits =
      typeof before === "bigint" && typeof after === "bigint" ? String(before - after) : null;
    return resultOf(fault, run, { credits });
  } finally {
    for (const step of undo.reverse()) await step().catch(() => undefined);
  }
}

/** How a fault's run ended, with what was counted, beside how it must end. */
export function resultOf(
  { id: faultId, expected }: FaultText,
  run: Run,
  counted: Pick<Ending, "credits" | "paid">,
): FaultResult {
  const actual = endingOf(run, counted);
  return { faultId, run, actual, holds: isSame(expected, actual) };
}

/** How a run ended; null if no step decided it. */
function endingOf(run: Run, counted: Pick<Ending, "credits" | "paid">): Ending | null {
  const deciding = decidingStep(run);
  if (!deciding?.outcome || !run.money) return null;
  const { id: step, outcome, reason } = deciding;
  return { step, outcome, reason, money: run.money, ...counted };
}

const isSame = (expected: Ending, actual: Ending | null): boolean =>
  actual !== null &&
  (Object.keys(expected) as (keyof Ending)[]).every((key) => expected[key] === actual[key]);

export const labRequest = (url: string): RunInput => ({
  method: "POST",
  url,
  headers: [["content-type", "application/json"]],
  body: BODY,
  token: { kind: "none" },
});

/** What a fault is produced for, and what is undone after it. */
type Producing = { request: RunInput; undo: Undo };

/** A rehearsal's token is for any agent of the plan. */
const agentIdOf = (agent: "lab" | "other", { own, places }: LabOptions) =>
  own ? {} : { agentId: agent === "lab" ? places.agentId : places.otherAgentId };

/** Ensures that the plan has credits, or that its single call is used up. */
async function stockUp(
  { recipe }: PlanFault,
  options: LabOptions,
  { request, undo }: Producing,
): Promise<void> {
  const { lab, service } = options;
  const planId = planIdOf(recipe.plan ?? "calls", options);
  const { balance, isSubscriber } = await service.readBalance(planId);
  if (!recipe.isUsedUp) {
    if (balance < FEW_CREDITS) await lab.order(planId);
    return;
  }
  if (balance === 0n && !isSubscriber) await lab.order(planId);
  if (balance === 0n && isSubscriber) return;
  const { accessToken, permission } = await lab.mint({
    ...{ planId, request },
    ...agentIdOf("lab", options),
  });
  undo.push(() => lab.revoke(permission));
  await sendPaid(accessToken, request, options);
}

async function prepareToken(
  wanted: LabToken,
  options: LabOptions,
  { request, undo }: Producing,
): Promise<{ token: RunInput["token"]; permission?: RunPermission }> {
  const { lab, signal } = options;
  if (wanted.kind === "none" || wanted.kind === "test") return { token: { kind: wanted.kind } };
  if (wanted.kind === "garbage") return { token: { kind: "paste", token: "not-a-token" } };
  const { plan, agent, lifeSecs, calls, limitCents, isUsed, card } = wanted;
  const paymentMethodId = card ? await lab.saveCard(card) : undefined;
  if (paymentMethodId) undo.push(() => lab.removeCard(paymentMethodId));
  const { accessToken, permission } = await lab.mint({
    planId: planIdOf(plan, options),
    request,
    ...(agent && agentIdOf(agent, options)),
    ...(lifeSecs && { durationSecs: lifeSecs }),
    ...(calls && { calls }),
    ...(limitCents && { spendingLimitCents: limitCents }),
    ...(paymentMethodId && { paymentMethodId }),
  });
  undo.push(() => lab.revoke(permission));
  if (isUsed) await sendPaid(accessToken, request, options);
  if (lifeSecs) await waitFor((lifeSecs + 1) * 1000, signal);
  return { token: { kind: "paste", token: accessToken }, permission };
}

/** Makes one paid call outside the run. Throws unless the agent answers 200. */
async function sendPaid(token: string, request: RunInput, { transport, signal }: LabOptions) {
  const { method, url, headers, body } = request;
  const paid = { method, url, headers: [...headers, ["payment-signature", token] as const], body };
  const { answer } = await transport(paid, { signal, onProgress: () => undefined });
  if (answer?.status !== 200) {
    throw new Error(`The agent answered ${answer?.status ?? "nothing"}, expected 200.`);
  }
}

/** Sends a request that carries a payment in another way, and others as they are. */
export const withPaid =
  (transport: Transport, send: Transport): Transport =>
  (request, options) =>
    request.headers.some(([name]) => name === "payment-signature")
      ? send(request, options)
      : transport(request, options);

/** Sends a paid request twice at the same time and returns the response that was paid for. */
export const twice = (transport: Transport): Transport =>
  withPaid(transport, async (request, options) => {
    const sent = await Promise.all([transport(request, options), transport(request, options)]);
    return sent.find(({ answer }) => answer?.status === 200) ?? sent[0];
  });

/** All credits of a plan, including reserved ones. */
async function readCredits(service: PlaygroundService, planId: string): Promise<bigint> {
  const { balance, held } = await service.readBalance(planId);
  return balance + held;
}

/** Waits, at most until the run is stopped. */
export const waitFor = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
