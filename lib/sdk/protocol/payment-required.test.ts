import { fc, test as property } from "@fast-check/vitest";
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
} from "@x402/core/http";
import { isPaymentPayload, isPaymentRequired } from "@x402/core/schemas";
import { describe, expect, test } from "vitest";
import { settlementOf, tokenOf } from "../test-support/fake-service.ts";
import { encodeAccessToken } from "./access-token.ts";
import {
  buildOffer,
  buildPaymentRequired,
  buildPaymentRequiredForPlans,
  decodePaymentRequired,
  withOtherOffers,
  X402PaymentRequired,
} from "./payment-required.ts";
import { planIdOf } from "./plans/plan-id-of.ts";
import { decodeHeader, encodeHeader, X402_HEADERS } from "./x402-headers.ts";

const ASK = { endpoint: "https://agent.example/ask", httpVerb: "POST", agentId: "7" };

test("the header names are those of the x402 v2 transport (§5)", () => {
  expect(X402_HEADERS).toEqual({
    PAYMENT_SIGNATURE: "payment-signature",
    PAYMENT_REQUIRED: "payment-required",
    PAYMENT_RESPONSE: "payment-response",
  });
});

describe("the helpers of a requirement (§4.2)", () => {
  test("buildPaymentRequired has one offer; the verb is in extra, not in the resource", () => {
    const requirement = buildPaymentRequired({ ...ASK, planId: "42" });
    expect(requirement).toEqual({
      x402Version: 2,
      resource: { url: "https://agent.example/ask" },
      accepts: [
        expect.objectContaining({
          scheme: "svc:erc4337",
          network: "eip155:84532",
          planId: "42",
          extra: { version: "1", planId: "42", agentId: "7", httpVerb: "POST" },
        }),
      ],
      extensions: {},
    });
    expect(X402PaymentRequired.parse(requirement)).toEqual(requirement);
  });
  test("the card scheme has the network card-processor", () => {
    const requirement = buildPaymentRequired({
      ...ASK,
      planId: "42",
      scheme: "svc:card-delegation",
      description: "Answers",
      mimeType: "text/plain",
    });
    expect(requirement.accepts[0]?.network).toBe("card-processor");
    expect(requirement.resource).toEqual({
      url: ASK.endpoint,
      description: "Answers",
      mimeType: "text/plain",
    });
  });
  test("buildPaymentRequiredForPlans has one offer per plan, each with its scheme", () => {
    const requirement = buildPaymentRequiredForPlans({
      ...ASK,
      planIds: ["42", "43"],
      scheme: (planId) => (planId === "43" ? "svc:card-delegation" : "svc:erc4337"),
    });
    expect(requirement.accepts.map(({ scheme }) => scheme)).toEqual([
      "svc:erc4337",
      "svc:card-delegation",
    ]);
    expect(requirement.accepts.map(planIdOf)).toEqual(["42", "43"]);
  });
  test("for one plan it is buildPaymentRequired, and for none it throws", () => {
    expect(buildPaymentRequiredForPlans({ ...ASK, planIds: ["42"] })).toEqual(
      buildPaymentRequired({ ...ASK, planId: "42" }),
    );
    expect(() => buildPaymentRequiredForPlans({ ...ASK, planIds: [] })).toThrow(
      "at least one plan",
    );
  });
});

describe("headers", () => {
  property.prop([fc.json()])("any JSON comes through a header, nulls aside", (json) => {
    const value: unknown = JSON.parse(json);
    fc.pre(!json.includes("null") && !json.includes("__proto__"));
    expect(decodeHeader(encodeHeader(value))).toEqual(value);
  });
  property.prop([fc.string({ unit: "binary" })])("no text makes a decoder throw", (text) => {
    expect(() => decodeHeader(text)).not.toThrow();
    expect(() => decodePaymentRequired(text)).not.toThrow();
  });
  test("null equals absent, and bigint is a decimal string", () => {
    expect(decodeHeader(encodeHeader({ a: null, b: [1], c: 5n }))).toEqual({ b: [1], c: "5" });
  });
  test("a header that holds something else is no requirement", () => {
    expect(decodePaymentRequired(encodeHeader({ x402Version: 1, accepts: [] }))).toBeNull();
    expect(decodePaymentRequired(encodeHeader(null))).toBeNull();
  });
});

test("offers that a long header leaves out are read in the body, and never from a body that has fewer", () => {
  const [one, two] = ["1", "2"].map((planId) => ({ scheme: "svc:erc4337", planId }));
  const inHeader = { x402Version: 2, accepts: [one] };
  const whole = { paymentRequired: { accepts: [one, two] } };
  expect(withOtherOffers(inHeader, whole)).toEqual({ ...inHeader, accepts: [one, two] });
  for (const body of [null, "x", {}, { paymentRequired: { accepts: [] } }, { accepts: [one, two] }])
    expect(withOtherOffers(inHeader, body)).toBe(inHeader);
  expect(withOtherOffers(null, whole)).toBeNull();
});

describe("stock x402 readers", () => {
  const requirement = buildPaymentRequired({ ...ASK, planId: "42", description: "Grüße" });

  test("decode our payment-required header and accept what is in it", () => {
    const decoded: unknown = decodePaymentRequiredHeader(encodeHeader(requirement));
    expect(decoded).toEqual(requirement);
    expect(isPaymentRequired(decoded)).toBe(true);
  });
  test("decode our access token as a payment payload and accept it", () => {
    const token = {
      ...tokenOf("42", "7"),
      accepted: buildOffer({ planId: "42", scheme: "svc:erc4337" }),
    };
    const decoded: unknown = decodePaymentSignatureHeader(
      encodeAccessToken({
        ...token,
        accepted: { ...token.accepted, network: "eip155:84532" },
      }),
    );
    expect(decoded).toEqual(token);
    expect(isPaymentPayload(decoded)).toBe(true);
  });
  test("decode our payment-response header", () => {
    const settlement = settlementOf({ maxAmount: "1", agentRequestId: "r".repeat(16) });
    expect(decodePaymentResponseHeader(encodeHeader(settlement))).toEqual(settlement);
  });
});
