import { Payments } from "@turnpike/payments";
import { type Operation, operations } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { pageRoutes } from "@/e2e/support/routes.ts";
import { calls } from "@/lib/sdk/protocol/operations/calls.ts";
import { payerCalls } from "@/lib/sdk/protocol/operations/payer-calls.ts";
import { rareCalls } from "@/lib/sdk/protocol/operations/rare-calls.ts";
import { curlOf, inputOf, javascriptOf } from "./call-code.ts";
import { CALLED_ROUTES } from "./called-routes.ts";
import { callsOfPage } from "./page-calls.ts";

const claims = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const payments = Payments.getInstance({
  apiKey: `svc-sandbox:${claims({ alg: "none" })}.${claims({ sub: "0x000000000000000000000000000000000000dEaD" })}.x`,
  environment: "sandbox",
  baseUrl: "https://sandbox.example.com",
});

/** The client's operations: those of every bundle, and those loaded at their first call. */
const CLIENT_CALLS = [calls, payerCalls, ...Object.values(rareCalls)].flatMap((rows) =>
  Object.keys(rows),
);

const PLACE = { origin: "https://sandbox.example.com", environment: "sandbox" } as const;
const ID = "340282366920938463463374607431768211455";
const ADDRESS = "0x000000000000000000000000000000000000dEaD";

const pathOf = (route: string) => route.replace("[address]", ADDRESS).replaceAll(/\[\w+\]/g, ID);

/** Pages without data of the service, with code of their own, or outside the dashboard. */
const WITHOUT = [
  "/",
  "/agents/[agentId]/checks",
  "/agents/[agentId]/code",
  "/agents/new",
  "/alerts/confirm",
  "/alerts/mailbox",
  "/customers",
  "/doctor",
  "/playground",
  "/plans/[planId]/new-version",
  "/plans/new",
  "/settings/profile",
  "/sign-in",
  "/tokens/inspect",
];
const OUTSIDE = /^\/(checkout|receipts|s|dev|docs|a|demo|balance|payouts|statements|refunds)(\/|$)/;

test("every page of the dashboard has its calls, or a reason to have none", () => {
  const called: readonly string[] = CALLED_ROUTES;
  const missing = pageRoutes().filter(
    (route) => !called.includes(route) && !WITHOUT.includes(route) && !OUTSIDE.test(route),
  );
  expect(missing).toEqual([]);
  expect(CALLED_ROUTES.filter((route) => !pageRoutes().includes(route))).toEqual([]);
});

test.each(CALLED_ROUTES)(
  "the calls of %s are calls of the client, with the page's own ids",
  (route) => {
    const pageCalls = callsOfPage(pathOf(route));
    expect(pageCalls.length).toBeGreaterThan(0);
    for (const call of pageCalls) {
      const row = operations[call.name] as Operation;
      expect(payments).toHaveProperty(row.group);
      expect(CLIENT_CALLS).toContain(call.name);
      expect(row.input.safeParse(inputOf(call)).error).toBeUndefined();
      const curl = curlOf(call, PLACE);
      expect(curl).not.toMatch(/undefined|:[a-z]\w+Id/);
      expect(curl).toContain(`${PLACE.origin}/api/v1/`);
      expect(javascriptOf(call, PLACE)).toContain(`payments.${row.group}.${call.name}(`);
      if (route.includes("[")) {
        expect(`${curl} ${javascriptOf(call, PLACE)}`).toMatch(new RegExp(`${ID}|${ADDRESS}`));
      }
    }
  },
);

test("a change is sent as its row says, with the key from the environment", () => {
  const [, , update] = callsOfPage("/plans/7");
  expect(update && curlOf(update, PLACE)).toBe(
    `curl -sS -X PUT \\
  'https://sandbox.example.com/api/v1/protocol/plans/7' \\
  -H "Authorization: Bearer $TURNPIKE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"state":"listed"}'`,
  );
  expect(update && javascriptOf(update, PLACE)).toContain(
    'payments.plans.updatePlan("7", { state: "listed" })',
  );
  expect(callsOfPage("/tokens/new", new URLSearchParams({ plan: "7" }))).toMatchObject([
    { name: "getX402AccessToken", args: ["7"] },
  ]);
});
