import { decodePaymentRequiredHeader } from "@x402/core/http";
import {
  extractDiscoveryInfo,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from "@x402/extensions/bazaar";
import { describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { apiKeyOf, BUILDER, createFakeService, planOf } from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import type { RouteConfig } from "../routes.ts";
import { bazaarOf, type Discovery } from "./bazaar.ts";
import { discoveryFromOpenApi } from "./from-openapi.ts";

const WEATHER: Discovery = {
  input: { city: "Lisbon" },
  inputSchema: { properties: { city: { type: "string" } }, required: ["city"] },
  output: { example: { degrees: 21 }, schema: { type: "object", required: ["degrees"] } },
};

const { fetch } = createFakeService([planOf("42")]);
const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch });

/** The requirement that the gate answers an unpaid request with, as the stock library reads its header. */
async function ask(key: string, url: string, config: Partial<RouteConfig> = {}) {
  const gate = createGate(
    payments,
    { [key]: { planId: "42", discovery: WEATHER, ...config } },
    { report: false },
  );
  const method = key.split(" ")[0] ?? "GET";
  const answer = await gate(new Request(url, { method }), async () => new Response());
  return decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "");
}

describe("the bazaar extension of a 402, read by the stock library", () => {
  test.each([
    ["GET /weather", { queryParams: { city: "Lisbon" } }],
    ["DELETE /weather", { queryParams: { city: "Lisbon" } }],
    ["POST /weather", { bodyType: "json", body: { city: "Lisbon" } }],
    ["PUT /weather", { bodyType: "json", body: { city: "Lisbon" } }],
    ["PATCH /weather", { bodyType: "json", body: { city: "Lisbon" } }],
  ])("%s", async (key, input) => {
    const required = await ask(key, "https://agent.test/weather");
    const extension = required.extensions?.bazaar as never;
    expect(validateDiscoveryExtension(extension)).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec(extension)).toEqual({ valid: true });
    const { resource, extensions } = required;
    const [accepted] = required.accepts;
    const found = extractDiscoveryInfo(
      { x402Version: 2, accepted, payload: {}, resource, extensions } as never,
      accepted as never,
    );
    expect(found).toMatchObject({
      resourceUrl: "https://agent.test/weather",
      method: key.split(" ")[0],
      discoveryInfo: { input, output: { type: "json", example: { degrees: 21 } } },
    });
  });

  test("a route with parameters is listed once, by its template", async () => {
    const required = await ask("GET /weather/{city}", "https://agent.test/weather/Porto");
    expect(required.extensions?.bazaar).toMatchObject({
      routeTemplate: "/weather/:city",
      info: { input: { pathParams: { city: "Porto" } } },
    });
    expect(validateDiscoveryExtension(required.extensions?.bazaar as never).valid).toBe(true);
  });

  test("a tool of an MCP server", () => {
    const extension = bazaarOf({
      discovery: WEATHER,
      method: "POST",
      segments: ["tools", "weather"],
      url: "mcp://reader/tools/weather",
      tool: "weather",
    });
    expect(validateDiscoveryExtension(extension as never)).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec(extension)).toEqual({ valid: true });
  });

  test("an example that is not as its schema says is what the stock library refuses", async () => {
    const wrong = { ...WEATHER, input: { town: "Lisbon" } };
    const { extensions } = await ask("GET /weather", "https://agent.test/weather", {
      discovery: wrong,
    });
    expect(validateDiscoveryExtension(extensions?.bazaar as never).valid).toBe(false);
  });

  test("a route that says nothing has no extension", async () => {
    const { extensions } = await ask("GET /weather", "https://agent.test/weather", {
      discovery: null,
    });
    expect(extensions).not.toHaveProperty("bazaar");
  });

  test("a description too long for a header is refused when the gate is created", async () => {
    const discovery = { input: { text: "x".repeat(5_000) } };
    await expect(ask("GET /weather", "https://agent.test/weather", { discovery })).rejects.toThrow(
      "longer than 4000",
    );
  });
});

const DOCUMENT = {
  paths: {
    "/ask/{id}": {
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Question" },
              example: { question: "Why?" },
            },
          },
        },
        responses: {
          200: { content: { "application/json": { schema: { type: "object" }, example: {} } } },
        },
      },
      get: {
        parameters: [
          { name: "id", in: "path", required: true },
          { name: "lang", in: "query", required: true, schema: { type: "string" }, example: "pt" },
        ],
      },
    },
  },
  components: { schemas: { Question: { type: "object", required: ["question"] } } },
};

test("a route's discovery is read from the agent's OpenAPI document", () => {
  expect(discoveryFromOpenApi(DOCUMENT, "POST /ask/:id")).toEqual({
    input: { question: "Why?" },
    inputSchema: { type: "object", required: ["question"] },
    output: { example: {}, schema: { type: "object" } },
  });
  expect(discoveryFromOpenApi(DOCUMENT, "GET /ask/{id}")).toEqual({
    input: { lang: "pt" },
    inputSchema: { properties: { lang: { type: "string" } }, required: ["lang"] },
  });
  expect(discoveryFromOpenApi(DOCUMENT, "PUT /ask/:id")).toBeUndefined();
});
