import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { decodeHeader, type ExactPayload, PaymentsError } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLabService } from "@/components/playground/run/lab-service.ts";
import { createRunService } from "@/components/playground/run/session-service.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import { resolveAuthorizations } from "@/lib/domain/exact/resolve-authorizations.ts";
import { EXACT_FAULTS, EXACT_PRICE, type ExactFault } from "@/lib/playground/exact-faults.ts";
import type { LabPlaces } from "@/lib/playground/lab-places.ts";
import type { Transport } from "@/lib/playground/ports.ts";
import { runExactFault } from "@/lib/playground/run-exact-fault.ts";
import type { FaultResult } from "@/lib/playground/run-fault.ts";
import { openRunCaller, type RunCaller } from "@/lib/server/identity/run-payer.ts";
import { sendForPlayground } from "@/lib/server/outbound/playground-send.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import type { TestParty } from "@/lib/server/testing/test-service.ts";
import { createExactLab } from "./exact-lab.ts";
import { ownFacilitator } from "./foreign-agents.ts";

const [store] = ruleStores();

/** The service over HTTP for the seller, the seller over HTTP for the guard: the lab without its page. */
describe("the failure lab by exact", () => {
  const servers: Server[] = [];
  let database: Database;
  let service: ChainTestService;
  let person: TestParty;
  let customer: RunCaller;
  let places: LabPlaces;
  /** The last payment that a run sent, and how many were collected after their run. */
  let sent = "";
  let collectedLater = 0;
  const payTo = `0x${randomBytes(20).toString("hex")}`;

  const listening = async (server: Server): Promise<string> => {
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  beforeAll(async () => {
    database = await (store as { open: () => Promise<Database> }).open();
    service = await startChainTestService(database);
    person = await service.party({ isFunded: false });
    const builder = await service.party({ isFunded: false });
    const api = await listening(
      createServer(getRequestListener((request) => service.serve(request))),
    );
    const facilitator = ownFacilitator(api, builder.apiKey);
    const app = createExactLab({ facilitator, usdc: service.usdc, payTo });
    const url = await listening(
      createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false })),
    );
    places = { url } as LabPlaces;
    const caller = { account: person.address, keyId: null, isOperator: false };
    customer = await openRunCaller(service, caller, "test");
  });
  afterAll(async () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const answered = async (work: Promise<unknown>) => {
    try {
      return { ok: true, data: JSON.parse(JSON.stringify((await work) ?? {})) } as never;
    } catch (cause) {
      if (!PaymentsError.is(cause)) throw cause;
      const { code, message, hint, details } = cause;
      return { ok: false, code, message, hint, details } as never;
    }
  };
  /** As the page's server actions. */
  const actions = {
    readRunBalance: (_: unknown, planId: string) => answered(customer.readBalance(planId)),
    mintForRun: (_: unknown, input: never) => answered(customer.mint(input)),
    authorizeForRun: (_: unknown, input: never) => answered(customer.authorize(input)),
    endRun: (_: unknown, permission: never) => answered(customer.end(permission)),
    dryVerify: (_: unknown, input: never) => answered(customer.call("verifyPermissions", input)),
    findRunRequest: (_: unknown, agentRequestId: string) =>
      answered(customer.call("getRequest", { agentRequestId })),
    readTestMoney: (wanted: { isToppedUp: boolean }) =>
      answered(customer.money(wanted).then(String)),
  };
  const transport: Transport = async (request, { signal, onPartial, limitSecs }) => {
    sent = request.headers.find(([name]) => name === "payment-signature")?.[1] ?? sent;
    const outbound = createOutbound({ policy: OPEN, userAgent: "Lab/1" });
    const sending = { outbound, account: person.address, request, signal, limitSecs };
    try {
      for await (const event of sendForPlayground(sending as never)) {
        if (event.type === "partial") onPartial?.(event.answer);
        if (event.type === "done" && !signal.aborted) return { request, ...event.exchange };
      }
    } catch (cause) {
      if (!signal.aborted) throw cause;
    }
    // As the page: who left reads no more.
    const failure = { kind: "failed", code: "aborted", message: "You stopped the run." } as const;
    return { request, answer: null, failure, startedAt: "", durationMs: 0 };
  };

  async function play(fault: ExactFault): Promise<FaultResult> {
    const payer = { account: person.address, payer: "test" } as const;
    const events = runExactFault(fault, {
      places,
      lab: createLabService(actions as never),
      service: createRunService(payer, actions as never),
      transport,
      signal: new AbortController().signal,
    });
    for (;;) {
      const { value, done } = await events.next();
      if (done) return value;
    }
  }

  test.each(EXACT_FAULTS.map((fault) => [fault.id, fault] as const))(
    "%s ends as it must, and what it says of the money is what the chain has",
    async (_, fault) => {
      const had = await service.money(payTo);
      const { actual, run, holds } = await play(fault);
      expect(actual).toEqual(fault.expected);
      expect(holds).toBe(true);
      expect(String((await service.money(payTo)) - had)).toBe(fault.expected.paid);
      // What the run signed with ends with it.
      const wasSigned = run.steps.some(({ outcome }) => outcome === "signed");
      expect(run.permission).toBe(wasSigned ? "ended" : null);
    },
  );

  test("a facilitator that does not know whether it collected is not believed to have", async () => {
    const capture = vi.spyOn(service.onChain.exact, "capture");
    capture.mockRejectedValueOnce(new Error("The node is gone."));
    const [fault] = EXACT_FAULTS.filter(({ exact }) => exact.path === "fails");
    const { actual } = await play({ ...(fault as ExactFault), exact: { path: "sells" } });
    expect(capture).toHaveBeenCalledOnce();
    capture.mockRestore();
    expect(actual).toEqual(fault?.expected);
  });

  test("a payment collected after its run is told, although the run's delegation has ended", async () => {
    const [fault] = EXACT_FAULTS.filter(({ exact }) => exact.path === "fails");
    expect((await play(fault as ExactFault)).holds).toBe(true);
    const { payload } = decodeHeader(sent) as { payload: ExactPayload["payload"] };
    const { from: payer, value, validAfter, validBefore, nonce } = payload.authorization;
    const captured = await service.onChain.exact.capture({
      ...{ id: nonce, payer, payTo, nonce, asset: service.usdc, signature: payload.signature },
      ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
      sinceBlock: 0n,
      builder: "",
    });
    expect(captured.status).toBe("paid");
    collectedLater += 1;
    await service.ports.clock.advance(60);
    await resolveAuthorizations(service.ports);
    const { items } = await customer.call("listRequests", { role: "subscriber" });
    expect(items[0]).toMatchObject({ moneyStatus: "settled", paid: { value: "0.010000" } });
    expect(await brokenRules(database)).toEqual([]);
  });

  test("afterwards nothing is reserved, no delegation is left and every payment is told", async () => {
    await service.advanceChain(61);
    await service.ports.clock.advance(60);
    await resolveAuthorizations(service.ports);
    const { currencies } = await customer.call("getBalance", {});
    expect(currencies[0]).toMatchObject({ reserved: "0" });
    const { items } = await customer.call("listDelegations", {});
    expect(items.filter(({ status }) => status === "Active")).toEqual([]);
    expect(items.filter(({ amountReservedCents }) => BigInt(amountReservedCents) > 0n)).toEqual([]);
    const paid =
      EXACT_FAULTS.filter(({ expected }) => expected.paid !== "0").length + collectedLater;
    expect(await service.money(payTo)).toBe(EXACT_PRICE * BigInt(paid));
    const { items: calls } = await customer.call("listRequests", { role: "subscriber" });
    expect(calls.filter(({ moneyStatus }) => moneyStatus === "settled")).toHaveLength(paid);
    expect(calls.filter(({ moneyStatus }) => moneyStatus === "unknown")).toEqual([]);
  });
});
