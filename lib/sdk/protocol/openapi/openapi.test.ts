import { describe, expect, test } from "vitest";
import type { Operation } from "../operations/operation.ts";
import { operations } from "../operations.ts";
import { buildOpenApi } from "./openapi.ts";

type Described = {
  operationId: string;
  summary: string;
  security?: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: unknown }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { description: string; content: Record<string, { schema: unknown }> }>;
};

// As it is served: through JSON.
const document = JSON.parse(
  JSON.stringify(
    buildOpenApi({ origin: "https://turnpike.example", version: "1.0.0", operations }),
  ),
);
const paths: Record<string, Record<string, Described>> = document.paths;
const rows = Object.entries<Operation>(operations);
const describedOf = (row: Operation) =>
  paths[row.path.replace(/:(\w+)/g, "{$1}")]?.[row.method.toLowerCase()] as Described;

test("the document is OpenAPI 3.1 and knows its server", () => {
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Turnpike", version: "1.0.0" },
    servers: [{ url: "https://turnpike.example/api/v1" }],
    components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
  });
});

test("no example names the address whose money is lost", () => {
  expect(/0{36}dead/i.test(JSON.stringify(document))).toBe(false);
});

test("on one's own machine its server is where the document was read", () => {
  const origin = "http://localhost:3000";
  const local = buildOpenApi({ origin, version: "1.0.0", operations });
  expect(local.servers).toEqual([{ url: "/api/v1" }]);
});

test.each(["verify", "settle", "settle/batch"])(
  "POST /x402/%s takes a key in a header, and not in its body",
  (path) => {
    const described = paths[`/x402/${path}`]?.post;
    expect(described?.parameters).toMatchObject([{ in: "header", name: "Idempotency-Key" }]);
    const { schema } = described?.requestBody?.content["application/json"] ?? {};
    for (const form of (schema?.anyOf as object[] | undefined) ?? [schema])
      expect(form).not.toHaveProperty("properties.idempotencyKey");
  },
);

describe("every operation is in the document", () => {
  test.each(rows)("%s", (_name, row) => {
    const described = describedOf(row);
    expect(described.summary).toContain(row.summary);
    expect(described.security).toEqual(row.access === "public" ? [] : undefined);
    const inPath = [...row.path.matchAll(/:(\w+)/g)].map(([, member]) => member);
    const declared = described.parameters.filter((parameter) => parameter.in === "path");
    expect(declared.map(({ name, required }) => [name, required])).toEqual(
      inPath.map((member) => [member, true]),
    );
    const hasBody = row.method === "POST" || row.method === "PUT";
    expect(described.requestBody !== undefined).toBe(hasBody);
    expect(described.responses[200]?.content["application/json"]?.schema).not.toEqual({});
    expect(described).toMatchObject({ description: expect.any(String), tags: [row.section] });
    const refusals = Object.keys(described.responses).filter((status) => status.startsWith("4"));
    expect(refusals).toEqual(expect.arrayContaining(["404", "422", "429"]));
    expect(described.responses.default?.content).toHaveProperty("application/problem+json");
  });

  test("and nothing else but the event stream, each under its own id", () => {
    const { "/events/stream": _, ...others } = paths;
    const all = Object.values(others).flatMap((methods) => Object.values(methods));
    const keys = new Set(rows.map(([, row]) => `${row.method} ${row.path}`));
    expect(all).toHaveLength(keys.size);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    for (const { operationId } of all) expect(operations).toHaveProperty(operationId);
  });
});

test("the event stream is described as server-sent events, where events are listed", () => {
  const { get } = paths["/events/stream"] ?? {};
  expect(get?.responses[200]?.content).toEqual({ "text/event-stream": expect.anything() });
  expect(get?.parameters.map((each) => [each.in, each.name, each.required])).toEqual([
    ["query", "after", false],
    ["header", "Last-Event-ID", false],
  ]);
  const refusals = ["401", "403", "409", "422", "429"];
  expect(Object.keys(get?.responses ?? {})).toEqual(expect.arrayContaining(refusals));
  const { listPlans } = operations;
  const other = buildOpenApi({ origin: "", version: "1", operations: { listPlans } });
  expect(other.paths).not.toHaveProperty("/events/stream");
});

test("operations that share a path offer both bodies", () => {
  const { requestBody } = describedOf(operations.registerCreditsPlan);
  expect(requestBody?.content["application/json"]?.schema.anyOf).toHaveLength(2);
});

test("the idempotency key is a header, not a member of the body", () => {
  const { parameters, requestBody } = describedOf(operations.orderPlan);
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: "Idempotency-Key", in: "header", required: false }),
  );
  expect(JSON.stringify(requestBody)).not.toContain("idempotencyKey");
});

test("references point at what is there, and amounts are described as they travel", () => {
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(document.components.schemas).toHaveProperty(name as string);
  }
  expect(text).not.toContain("$defs");
  const plan = describedOf(operations.getPlan).responses[200]?.content["application/json"]?.schema;
  expect(plan).toMatchObject({
    properties: { registry: { properties: { credits: { properties: { minAmount: {} } } } } },
  });
  const balance = describedOf(operations.getPlanBalance).responses[200]?.content[
    "application/json"
  ];
  expect(JSON.stringify(balance?.schema)).toContain("decimal string");
});

test("a body and a key are required where the service refuses a call without them", () => {
  const bodyOf = (row: Operation) => describedOf(row).requestBody as { required?: boolean };
  expect(bodyOf(operations.verifyPermissions).required).toBe(true);
  expect(bodyOf(operations.createAuthorization).required).toBe(true);
  expect(bodyOf(operations.setBudgets).required).toBeUndefined();
  const key = (row: Operation) =>
    describedOf(row).parameters.find(({ name }) => name === "Idempotency-Key")?.required;
  expect([key(operations.createAuthorization), key(operations.orderPlan)]).toEqual([true, false]);
});

test("the limits of a page are those that the service has", () => {
  const limit = describedOf(operations.listRefunds).parameters.find(({ name }) => name === "limit");
  expect(limit?.schema).toEqual({ type: "integer", minimum: 1, maximum: 100 });
});

test("a change that can be refused as a conflict says so, also without a body", () => {
  expect(describedOf(operations.deletePlan).responses).toHaveProperty("409");
});

test("a member that only one form of a body takes is not among those of the others", () => {
  const { requestBody } = describedOf(operations.settlePermissions);
  const forms = requestBody?.content["application/json"]?.schema.anyOf as { properties: object }[];
  expect(forms.map(({ properties }) => "leaseId" in properties)).toEqual([true, false, false]);
});
