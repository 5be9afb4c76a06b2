import type { Payments } from "../client/payments.ts";
import { checkNames } from "../client/spending/check-names.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { isExactOffer } from "../protocol/exact/exact-payload.ts";
import type { RoutePattern } from "../protocol/match-route.ts";
import type { RequestProof } from "../protocol/request-signature.ts";
import { createAuthorizer, readToken } from "./authorize.ts";
import { type ChargeContext, createCharges } from "./charge.ts";
import type { GateOptions } from "./gate-options.ts";
import type { Reading } from "./lease/lend.ts";
import { consoleLogger, type Logger } from "./logger.ts";
import { type GateObserver, joinObservers } from "./observe.ts";
import type { Outcome, PaidCall } from "./paid-call.ts";
import { type PaidWork, runPaidWork } from "./paid-work.ts";
import { createDefaultQueue } from "./queue/default-queue.ts";
import { endRefused, type Refusal, repeatedElsewhere, repeatNotKept } from "./refusals.ts";
import { createMemoryAnswers } from "./repeats/memory-answers.ts";
import { createRepeats, type Repeatable } from "./repeats/repeats.ts";
import { openRecord, type RequestRecord } from "./request-record.ts";
import { buildRequirement } from "./requirement.ts";
import { compileRoutes, findRoute, type Route, type RouteMap } from "./routes.ts";
import { type GateService, serviceOf } from "./service.ts";

export type PaidCallOptions<Answer> = GateOptions & {
  /** What counts as delivered, and so is charged. */
  isDelivered: (answer: Answer) => boolean;
};

/**
 * The gate of a client. Its routes are checked when it is made; with a client that has no key yet, at the first call, so that
 * a build which imports the module needs neither key nor plan.
 */
export function createPaidCalls<Input, Answer>(
  payments: Payments,
  routes: RouteMap<Input>,
  options: PaidCallOptions<Answer>,
): (call: PaidCall<Input, Answer>) => Promise<Outcome<Answer>> {
  const open = () => openPaidCalls(serviceOf(payments), routes, options);
  let run: ReturnType<typeof open> | undefined;
  try {
    run = open();
  } catch (error) {
    if (!PaymentsError.is(error) || error.code !== "unauthorized") throw error;
  }
  return (call) => {
    run ??= open();
    return run(call);
  };
}

/**
 * The gate without a transport: verify, work, settle (§3), each outcome a value. Adapters translate
 * their requests into calls, and outcomes into their answers. Throws `invalid_input` for routes it
 * could not guard; a call rejects only with what its work throws.
 */
function openPaidCalls<Input, Answer>(
  service: GateService,
  routes: RouteMap<Input>,
  options: PaidCallOptions<Answer>,
): (call: PaidCall<Input, Answer>) => Promise<Outcome<Answer>> {
  const { settle: mode = "after", logger = consoleLogger, timeoutMs, isDelivered } = options;
  checkOptions(mode, options);
  const { schemeAliases, account, report } = service;
  const table = compileRoutes(routes, schemeAliases);
  const reporter = options.report === false ? undefined : loadReporter(report);
  const observe = joinObservers([options.observe, reporter], logger);
  const queue = options.queue ?? createDefaultQueue(account, logger);
  // A leased call is settled under another id each time.
  const keepsOwed = options.answers !== undefined && !options.lease;
  const openRepeat = createRepeats(options.answers ?? createMemoryAnswers(), logger);
  const parts = partsBy({ service, queue, observe, logger }, options);
  const announce = announceBy(service, options.signOffers, logger);

  return async function runPaidCall(paidCall) {
    // 1. Match
    const route = findRoute(table, paidCall);
    const overriding = overridesMethod(table, paidCall, route);
    const isOverridden = overriding && (await overriding);
    if (!route && !isOverridden) return { kind: "not-gated" };
    const record = openRecord(observe, paidCall, route === "undecodable" ? null : route);
    if (!route || route === "undecodable" || isOverridden) {
      const { ambiguousPath, overriddenMethod } = await import("./faults/unsafe-request.ts");
      return endRefused(record, route === "undecodable" ? ambiguousPath() : overriddenMethod());
    }

    const own = await parts;
    const token = own.readToken(paidCall.token);
    const isBound = token?.payload.authorization.cnf !== undefined;
    const proof = (isBound && (await paidCall.proof?.())) || null;
    const given = { call: paidCall, route, token, proof };
    const repeat = token && (await openRepeat(paidCall, token, proof, route.key));
    if (repeat?.kind === "repeated") {
      const refusal = isBound ? await refuseRepeat(own, given) : null;
      if (refusal) return endRefused(record, refusal);
      record.end({ moneyStatus: "free", httpStatus: 200, reason: "repeated" });
      return repeat;
    }
    if (repeat && repeat.kind !== "first") return endRefused(record, repeat);
    try {
      const refusal = repeat?.owed && isBound && (await refuseRepeat(own, given));
      const outcome = refusal
        ? endRefused(record, refusal)
        : await pay(own, { ...given, repeat, record });
      return repeat ? await repeat.watch(outcome) : outcome;
    } catch (error) {
      await repeat?.drop();
      throw error;
    }
  };

  /** Verifies, works and settles one call of a route. */
  async function pay(
    { authorize, createCharge }: Awaited<typeof parts>,
    paid: Opened<Input, Answer> & { record: RequestRecord; repeat: Repeatable | null },
  ): Promise<Outcome<Answer>> {
    const { call, route, record, repeat, token, proof } = paid;
    const keeping = repeat && (repeat.owed || keepsOwed) ? await import("./repeats/owed.ts") : null;
    const given = { mode, timeoutMs, isDelivered, logger, ...paid };
    if (repeat?.owed && keeping) {
      return keeping.resumeOwed({
        ...given,
        createCharge,
        runPaidWork,
        repeatedElsewhere,
        repeatNotKept,
      });
    }
    // 2. Requirement, 3. Token, 4. Verify
    const decision = await authorize(route, call, { token, proof, repeat });
    record.add(decision.facts);
    if (decision.kind !== "authorized") {
      return endRefused(record, { ...(await announce(decision, route, call.url)), route });
    }

    // 5. Work to 9. Exception
    const { payment, settleInput } = decision;
    // A payment by `exact` may be sent again: a late release frees its next reservation at most, and what it paid stays there.
    const isExact = isExactOffer(payment.verification);
    const spoil = isExact ? undefined : repeat?.spoil;
    const charge = createCharge(settleInput, payment, spoil);
    const isRepeatable = repeat?.requestDigest !== undefined;
    // The service knows a payment by `exact` again, and lets its repeat work for it.
    const keepOwed = isExact ? null : keeping?.keepBy(paid, decision);
    return runPaidWork({ ...given, payment, charge, isRepeatable, keepOwed });
  }
}

/** The reporter, whose code no call waits for: where it cannot be loaded, nothing is reported. */
function loadReporter(report: GateService["report"]): GateObserver {
  let observe: GateObserver = (event) => void loaded.then(() => observe(event));
  const loaded = import("./report/report.ts").then(
    ({ createReporter }) => (observe = createReporter(report)),
    () => (observe = () => {}),
  );
  return (event) => observe(event);
}

const OPTIONS =
  "publicUrl settle buffer maxBodyBytes timeoutMs queue answers lease signOffers observe report logger isDelivered".split(
    " ",
  );

function checkOptions(mode: string, options: GateOptions): void {
  checkNames("Gate options", options, OPTIONS);
  const { publicUrl } = options;
  const refuse = (what: string): never => {
    throw new PaymentsError("invalid_input", `Gate option ${what}.`);
  };
  if (!["after", "strict", "before"].includes(mode)) {
    refuse(`\`settle\` is ${JSON.stringify(mode)}: use "after", "strict" or "before"`);
  }
  for (const name of ["timeoutMs", "maxBodyBytes"] as const) {
    const value = options[name];
    if (value !== undefined && !(value >= 1)) {
      refuse(`\`${name}\` is ${value}: use a number of at least 1`);
    }
  }
  if (publicUrl !== undefined && !/^https?:\/\/[^\s?#]+$/.test(publicUrl)) {
    refuse(
      `\`publicUrl\` is ${JSON.stringify(publicUrl)}: use a URL like "https://agent.example/api"`,
    );
  }
}

/** How calls are authorized and charged: by the service, or, with a lease, by what is loaded for it. */
function partsBy(
  own: ChargeContext,
  { settle = "after", lease, answers }: Pick<GateOptions, "settle" | "lease" | "answers">,
) {
  const shared: Reading = { readToken, buildRequirement };
  const partsOf = (given: typeof own & Reading) => ({
    readToken: given.readToken,
    authorize: createAuthorizer(given),
    createCharge: createCharges(given),
  });
  if (settle !== "after" || !lease) return partsOf({ ...own, ...shared });
  const { credits, seconds } = lease;
  if (![credits, seconds, 61 - seconds].every((count) => Number.isInteger(count) && count > 0)) {
    throw new PaymentsError(
      "invalid_input",
      "Gate option `lease`: use whole numbers from 1, and at most 60 `seconds`.",
    );
  }
  return import("./lease/lend.ts").then(({ lend }) =>
    partsOf({ ...own, ...lend({ ...own, ...shared }, lease, answers) }),
  );
}

type Opened<Input, Answer> = Pick<PaidWork<Input, Answer>, "call" | "route"> & {
  token: AccessToken | null;
  proof: RequestProof | null;
};

/**
 * A token bound to a key gets its kept answer only with a signature, which the service judges before it answers that the
 * request is known.
 */
async function refuseRepeat<Input, Answer>(
  { authorize, createCharge }: Awaited<ReturnType<typeof partsBy>>,
  { call, route, ...given }: Opened<Input, Answer>,
): Promise<Refusal | null> {
  const decision = await authorize(route, call, { ...given, repeat: null });
  if (decision.kind !== "authorized") return decision.httpStatus === 409 ? null : decision;
  // A lease has paid for it under another id.
  await createCharge(decision.settleInput, decision.payment).release();
  return null;
}

/** Whether the app could run another route of the table under a method that the gate does not see. */
const overridesMethod = (
  table: readonly RoutePattern[],
  { overridesMethod: ask, url }: Pick<PaidCall<never, never>, "overridesMethod" | "url">,
  own: ReturnType<typeof findRoute>,
): false | Promise<boolean> =>
  !!ask &&
  findRoute(
    table.filter((each) => each !== own),
    { url },
  ) !== null &&
  ask();

/** Adds to a 402 what its route or the gate's options ask for; the code for it is loaded when it is first needed. */
function announceBy(
  { signOffers }: GateService,
  format: GateOptions["signOffers"],
  logger: Logger,
) {
  let announcer: Promise<ReturnType<typeof import("./discovery/announce.ts").createAnnouncer>>;
  return async <Input>(refusal: Refusal, route: Route<Input>, url: string): Promise<Refusal> => {
    if (!refusal.body.paymentRequired || (!route.discovery && !format)) return refusal;
    announcer ??= import("./discovery/announce.ts").then(({ createAnnouncer }) =>
      createAnnouncer(signOffers, { format, logger }),
    );
    return (await announcer)(refusal, route, url);
  };
}
