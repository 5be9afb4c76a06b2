import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { callOperation } from "../testing/hostile-input.ts";
import {
  allOperations,
  allRows,
  type OperationName,
  samples,
  stockSample,
} from "../testing/operation-samples.ts";
import { pretendCards } from "../testing/pretend-rail.ts";
import { createSampleWorld, renewSpares, type SampleWorld } from "../testing/sample-world.ts";
import { createTestService, TEST_ORIGIN, type TestService } from "../testing/test-service.ts";

type Described = {
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
};
type Document = { paths: Record<string, Record<string, Described>>; components: object };

const DOCUMENTS = {
  protocol: "/openapi.json",
  console: "/console/openapi.json",
  sandbox: "/sandbox/openapi.json",
};
/** In another spelling than the document's. */
const FORMATS = { validateFormats: true, strict: false, allErrors: true };

describe.each(ruleStores())("answers and the OpenAPI documents on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let world: SampleWorld;
  const documents = new Map<string, Document>();

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    world = await createSampleWorld(service);
    for (const [audience, path] of Object.entries(DOCUMENTS)) {
      const answer = await service.fetch(`${TEST_ORIGIN}/api/v1${path}`);
      documents.set(audience, await answer.json());
    }
  });
  afterAll(() => database.close());
  beforeEach(() => renewSpares(world));

  /** What the document says of an operation, and a judge of its schemas. */
  function describedOf(name: OperationName) {
    const { audience, path, method } = allOperations[name];
    const document = documents.get(audience) as Document;
    const described = document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    if (!described) throw new Error(`${name} is not in the document.`);
    const judge = (schema: object): ValidateFunction => {
      const ajv = addFormats(new Ajv2020(FORMATS));
      return ajv.compile({ ...schema, components: document.components });
    };
    return { described, judge };
  }

  const errorSchema = { $ref: "#/components/schemas/Error" };

  test.each(allRows)("%s answers as described, and takes the document's example", async (name) => {
    const { described, judge } = describedOf(name);
    const input = samples[name](world);
    const answer = await callOperation(service, world.builder, name, input);
    const body = await answer.json();
    expect(answer.status, JSON.stringify(body)).toBe(200);
    const schema = described.responses[200]?.content?.["application/json"]?.schema ?? {};
    const fits = judge(schema);
    expect(fits(body), JSON.stringify(fits.errors)).toBe(true);
    const asked = described.requestBody?.content["application/json"]?.schema;
    if (!asked) return;
    const takes = judge(asked);
    expect(takes(JSON.parse(JSON.stringify(input))), JSON.stringify(takes.errors)).toBe(true);
  });

  test.each(["verifyPermissions", "settlePermissions"] as const)(
    "%s answers a stock facilitator's form as described",
    async (name) => {
      const { described, judge } = describedOf(name);
      const answer = await callOperation(service, world.builder, name, stockSample(world));
      const fits = judge(described.responses[200]?.content?.["application/json"]?.schema ?? {});
      expect(fits(await answer.json()), JSON.stringify(fits.errors)).toBe(true);
    },
  );

  test.each(allRows.filter(([, { access }]) => access !== "public"))(
    "%s refuses a caller without a key as described",
    async (name) => {
      const { described, judge } = describedOf(name);
      const answer = await callOperation(service, null, name, samples[name](world));
      expect(answer.status).toBe(401);
      expect(described.responses[401]).toBeDefined();
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(judge(errorSchema)(await answer.json())).toBe(true);
    },
  );
});
