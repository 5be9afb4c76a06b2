import * as sdk from "@turnpike/payments";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { type PlanPayload, payloadOfDraft } from "./builder/payload-of-draft.ts";
import { curlOf, javascriptOf, jsonOf, pythonOf } from "./plan-code.ts";
import { expectedPlan, MARKET } from "./testing/arbitrary-plan.ts";
import { termsOfPayload } from "./testing/terms-of-payload.ts";

const RUNS = inFull(300, 60);
const plan = expectedPlan.map(({ draft }) => {
  const reading = payloadOfDraft(draft, MARKET);
  if (!reading.isPayload) throw new Error(JSON.stringify(reading.faults));
  return reading;
});
const payload = plan.map((made) => made.payload);

const withoutNonce = ({ nonce: _, ...rest }: PlanPayload) => rest;

test("the JavaScript sample registers the same plan when run", async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (made) => {
      const sent = made.payload;
      const called = await runJavascript(javascriptOf(made, MARKET));
      expect(called.verb).toBe(
        sent.accessLimit === "time" ? "registerTimePlan" : "registerCreditsPlan",
      );
      const [metadata, priceConfig, creditsConfig, options] = called.args as [
        { isTrialPlan?: boolean },
        PlanPayload["priceConfig"],
        PlanPayload["creditsConfig"],
        { state?: string }?,
      ];
      const { isTrialPlan = false, ...attributes } = metadata;
      expect(attributes).toEqual(sent.metadataAttributes);
      expect(isTrialPlan).toBe(sent.isTrialPlan);
      expect(options?.state ?? "listed").toBe(sent.state);
      expect(called.redeemers).toEqual(sent.redeemers);
      const terms = { priceConfig, creditsConfig, isTrialPlan, accessLimit: sent.accessLimit };
      expect(termsOfPayload(terms as PlanPayload)).toEqual(termsOfPayload(sent));
      expect(made.terms).toEqual(termsOfPayload(sent));
    }),
    { numRuns: RUNS },
  );
}, 60_000);

/** Runs the sample, except for its imports, with a client that records its calls. */
async function runJavascript(code: string) {
  const body = code.replace(
    /^import \{([^}]*)\} from "@turnpike\/payments";/m,
    "const {$1} = sdk;",
  );
  expect(body).not.toBe(code);
  const called: { verb: string; args: unknown[]; redeemers?: string[] } = { verb: "", args: [] };
  const register =
    (verb: string) =>
    async (...args: unknown[]) => {
      Object.assign(called, { verb, args });
      return { planId: "1" };
    };
  const plans = {
    registerCreditsPlan: register("registerCreditsPlan"),
    registerTimePlan: register("registerTimePlan"),
    updatePlan: async (_: string, { redeemers }: { redeemers: string[] }) =>
      Object.assign(called, { redeemers }),
  };
  const Payments = { getInstance: () => ({ plans }) };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await new AsyncFunction("sdk", "process", body)({ ...sdk, Payments }, { env: {} });
  return called;
}

test("the body of the cURL command is the payload, whatever quotes it contains", () => {
  fc.assert(
    fc.property(payload, (sent) => {
      const [, quoted = ""] = /-d '([\s\S]*)'$/.exec(curlOf(sent, MARKET)) ?? [];
      // A shell ends the string at each quote and reads `\'` as one.
      expect(JSON.parse(quoted.split("'\\''").join("'"))).toEqual(withoutNonce(sent));
      expect(quoted.split("'\\''").join("")).not.toContain("'");
    }),
    { numRuns: RUNS },
  );
});

test("the Python sample holds the payload as a literal", () => {
  fc.assert(
    fc.property(payload, (sent) => {
      const [, literal = ""] = /^plan = (\{[\s\S]*?^\})$/m.exec(pythonOf(sent, MARKET)) ?? [];
      // Outside strings, the literal differs from JSON only in True, False and trailing commas.
      const json = literal.replace(/"(?:[^"\\]|\\.)*"|True|False|,(?=\s*[}\]])/g, (part) => {
        if (part.startsWith('"')) return part;
        return { True: "true", False: "false" }[part] ?? "";
      });
      expect(JSON.parse(json)).toEqual(withoutNonce(sent));
    }),
    { numRuns: RUNS },
  );
});

test("no sample contains a secret, and only the payload contains the nonce", () => {
  const [made] = fc.sample(plan, { numRuns: 1, seed: 3 });
  if (!made) throw new Error("no plan");
  const sent = made.payload;
  const samples = [curlOf(sent, MARKET), pythonOf(sent, MARKET), javascriptOf(made, MARKET)];
  for (const sample of samples) {
    expect(sample).toContain("TURNPIKE_API_KEY");
    expect(sample).not.toContain("nonce");
  }
  expect(jsonOf(sent)).toContain('"nonce"');
});
