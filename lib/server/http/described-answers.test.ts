import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { createSpareRenewal } from "../testing/renew-spares.ts";
import { createSampleWorld, type SampleWorld } from "../testing/sample-world.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestParty,
  type TestService,
} from "../testing/test-service.ts";

type Described = {
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
};
type Document = { paths: Record<string, Record<string, Described>>; components: object };

type DescribedAudience = { document: Document; ajv: Ajv2020 };

const DOCUMENTS = {
  protocol: "/openapi.json",
  console: "/console/openapi.json",
  sandbox: "/sandbox/openapi.json",
};
/** In another spelling than the document's. */
const FORMATS = { validateFormats: true, strict: false, allErrors: true };
const JSON_BODY = ["content", "application/json", "schema"];

describe.each(ruleStores())("answers and the OpenAPI documents on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let world: SampleWorld;
  let spares: ReturnType<typeof createSpareRenewal>;
  const documents = new Map<string, DescribedAudience>();

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { cards: pretendCards });
    world = await createSampleWorld(service);
    spares = createSpareRenewal(world);
    for (const [audience, path] of Object.entries(DOCUMENTS)) {
      const answer = await service.fetch(`${TEST_ORIGIN}/api/v1${path}`);
      const document: Document = await answer.json();
      const ajv = addFormats(new Ajv2020(FORMATS));
      documents.set(audience, { document, ajv: ajv.addSchema(document, "document") });
    }
  });
  afterAll(() => database.close());

  const call = (party: TestParty | null, name: OperationName, input: Record<string, unknown>) => {
    if (party && allOperations[name].method !== "GET") spares.mayBeUsed();
    return callOperation(service, party, name, input);
  };

  /** What the document says of an operation, and judges of its schemas; the document is compiled once. */
  function describedOf(name: OperationName) {
    const { audience, path, method } = allOperations[name];
    const { document, ajv } = documents.get(audience) as DescribedAudience;
    const place = ["paths", path.replace(/:(\w+)/g, "{$1}"), method.toLowerCase()];
    const described = document.paths[place[1] ?? ""]?.[place[2] ?? ""];
    if (!described) throw new Error(`${name} is not in the document.`);
    const judge = (...members: string[]): ValidateFunction => {
      const pointer = members.map((one) => one.replaceAll("~", "~0").replaceAll("/", "~1"));
      const found = ajv.getSchema(encodeURI(`document#/${pointer.join("/")}`));
      if (!found) throw new Error(`${members.join(" ")} is not in the document.`);
      return found;
    };
    const answers = () => judge(...place, "responses", "200", ...JSON_BODY);
    return { described, judge, answers, takes: () => judge(...place, "requestBody", ...JSON_BODY) };
  }

  test.each(allRows)("%s answers as described, and takes the document's example", async (name) => {
    await spares.renewFor(name);
    const { described, answers, takes } = describedOf(name);
    const input = samples[name](world);
    const answer = await call(world.builder, name, input);
    const body = await answer.json();
    expect(answer.status, JSON.stringify(body)).toBe(200);
    const fits = answers();
    expect(fits(body), JSON.stringify(fits.errors)).toBe(true);
    if (!described.requestBody) return;
    const taken = takes();
    expect(taken(JSON.parse(JSON.stringify(input))), JSON.stringify(taken.errors)).toBe(true);
  });

  test.each(["verifyPermissions", "settlePermissions"] as const)(
    "%s answers a stock facilitator's form as described",
    async (name) => {
      const answer = await call(world.builder, name, stockSample(world));
      const fits = describedOf(name).answers();
      expect(fits(await answer.json()), JSON.stringify(fits.errors)).toBe(true);
    },
  );

  test.each(allRows.filter(([, { access }]) => access !== "public"))(
    "%s refuses a caller without a key as described",
    async (name) => {
      const { described, judge } = describedOf(name);
      const answer = await call(null, name, samples[name](world));
      expect(answer.status).toBe(401);
      expect(described.responses[401]).toBeDefined();
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(judge("components", "schemas", "Error")(await answer.json())).toBe(true);
    },
  );
});
