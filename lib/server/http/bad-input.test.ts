import type { Operation } from "@turnpike/payments/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { expectEnvelope } from "../testing/expect-envelope.ts";
import {
  absent,
  asText,
  callOperation,
  HOSTILE_VALUES,
  type Path,
  pathsOf,
  withMember,
} from "../testing/hostile-input.ts";
import {
  allOperations,
  freshId,
  type OperationName,
  samples,
  stockSample,
} from "../testing/operation-samples.ts";
import { pretendCards } from "../testing/pretend-rail.ts";
import { createSpareRenewal } from "../testing/renew-spares.ts";
import { createSampleWorld, type SampleWorld } from "../testing/sample-world.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";

const NAMES = Object.keys(allOperations) as OperationName[];
const RUNS = Number(process.env.FUZZ_RUNS ?? inFull(100, 4));
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

/** What a misspelt member would give too much: all rights, or all events. */
const REFUSING: string[] = ["createApiKey", "createWebhookEndpoint"];

describe.each(ruleStores())("bad input on $name", ({ name: store, open }) => {
  let database: Database;
  let service: TestService;
  let world: SampleWorld;
  let sent = 0;
  let spares: ReturnType<typeof createSpareRenewal>;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, {
      cards: pretendCards,
    });
    world = await createSampleWorld(service);
    spares = createSpareRenewal(world);
    console.log(`Bad input on ${store}: FUZZ_SEED=${SEED}`);
  });
  afterAll(async () => {
    console.log(`Bad input on ${store}: ${sent} requests`);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const call = async (name: OperationName, input: Record<string, unknown>) => {
    sent += 1;
    const response = await callOperation(service, world.builder, name, input);
    // What was refused has used up nothing.
    if (allOperations[name].method !== "GET" && response.ok) spares.mayBeUsed();
    return response;
  };

  /** Answers the operation's schema or the envelope; a 422 names a path, and which. */
  async function check(name: OperationName, input: Record<string, unknown>) {
    const response = await call(name, input);
    if (response.status !== 200) {
      const { status, paths, code } = await expectEnvelope(response);
      if (status === 422) expect(paths.length, `${name} ${code}`).toBeGreaterThan(0);
      return { status, paths, code };
    }
    const row: Operation = allOperations[name];
    const answer = row.output.safeParse(await response.json());
    expect(answer.error, name).toBeUndefined();
    return { status: 200, paths: [], code: "" };
  }

  const sampleOf = (name: OperationName) => samples[name](world);

  test.each(NAMES)("%s takes its sample", async (name) => {
    await spares.renewFor(name);
    expect(await check(name, sampleOf(name))).toMatchObject({ status: 200 });
  });

  test.each(NAMES)("R11, T24: %s refuses or bears any one hostile member", async (name) => {
    await spares.renewFor(name);
    const paths = pathsOf(sampleOf(name));
    if (paths.length === 0) return;
    const property = fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_VALUES, absent) },
        { weight: 1, arbitrary: fc.jsonValue() },
        { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
        { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 260n), max: 2n ** 260n }).map(String) },
      ),
      async (path, value) => {
        const input = withMember(renewed(sampleOf(name)), path, value);
        if (!reaches(name, input as Record<string, unknown>)) return;
        const { status, paths: named } = await check(name, input as Record<string, unknown>);
        if (status === 422)
          expect(
            named.some((one) => isAbout(one, path)),
            named.join(),
          ).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: Math.min(RUNS, paths.length * 40), seed: SEED });
  });

  test("a settle without its requirement is told so, and not asked for a lease", async () => {
    const input = { ...sampleOf("settlePermissions"), paymentRequired: null };
    expect(await check("settlePermissions", input)).toMatchObject({
      status: 422,
      paths: [expect.stringMatching(/^paymentRequired/)],
    });
  });

  test.each(NAMES)("R11: %s refuses or bears anything at all for an input", async (name) => {
    await spares.renewFor(name);
    const property = fc.asyncProperty(
      fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom("constructor", "length", "planId", "agentId")),
        fc.oneof(fc.jsonValue(), fc.constantFrom(...HOSTILE_VALUES)),
        { maxKeys: 6 },
      ),
      async (input) => {
        const whole = { ...pathMembers(name, sampleOf(name)), ...input };
        if (reaches(name, whole)) await check(name, whole);
      },
    );
    await fc.assert(property, { numRuns: inFull(15, 2), seed: SEED });
  });

  test.each(NAMES)(
    "%s takes null for absent, and ignores or refuses members it does not know",
    async (name) => {
      await spares.renewFor(name);
      const sample = sampleOf(name);
      const inPath = Object.keys(pathMembers(name, sample));
      const row: Operation = allOperations[name];
      const hasBody = row.method === "POST" || row.method === "PUT";
      const members = Object.keys(sample).filter((member) => !inPath.includes(member));
      for (const member of hasBody ? members : []) {
        const askNull = () => check(name, renewed({ ...sampleOf(name), [member]: null }));
        const withNull = await askNull();
        const without = await check(
          name,
          renewed(withMember(sampleOf(name), [member], absent) as object),
        );
        // The first may have taken what there was: a payout leaves nothing for the next.
        const isSame = withNull.status === without.status;
        expect(isSame ? withNull : await askNull(), member).toEqual(without);
      }
      const extra = {
        ...sampleOf(name),
        unheardOf: { deep: [1, null] },
        isOperator: true,
        owner: "me",
      };
      const status = REFUSING.includes(name) ? 422 : 200;
      expect(await check(name, renewed(extra))).toMatchObject({ status });
    },
  );

  test("budgets that an earlier call has left refuse no sample", async () => {
    await call("setBudgets", { allow: { agents: [world.agentId] } });
    expect(await check("createAuthorization", sampleOf("createAuthorization"))).toMatchObject({
      status: 402,
    });
    await spares.renewFor("createAuthorization");
    const sample = sampleOf("createAuthorization");
    expect(await check("createAuthorization", sample)).toMatchObject({ status: 200 });
  });

  test.each(["verifyPermissions", "settlePermissions"] as const)(
    "%s bears hostile members in the stock facilitator's body",
    async (name) => {
      const sample = stockSample(world);
      expect(await check(name, sample)).toMatchObject({ status: 200 });
      const property = fc.asyncProperty(
        fc.constantFrom(...pathsOf(sample)),
        fc.oneof(fc.constantFrom(...HOSTILE_VALUES, absent, null), fc.jsonValue()),
        async (path, value) => {
          const input = withMember(sample, path, value) as Record<string, unknown>;
          await check(name, input);
        },
      );
      await fc.assert(property, { numRuns: RUNS * 3, seed: SEED });
    },
  );
});

/** The members in the operation's path: without them the request is for another route. */
function pathMembers(name: OperationName, sample: Record<string, unknown>) {
  const { path }: Operation = allOperations[name];
  return Object.fromEntries(
    Object.entries(sample).filter(([member]) => path.includes(`:${member}`)),
  );
}

/** Whether the path still leads to the operation: empty and dot segments lead elsewhere. */
const reaches = (name: OperationName, input: Record<string, unknown>) =>
  Object.keys(pathMembers(name, input)).length ===
    (allOperations[name].path.match(/:/g) ?? []).length &&
  Object.values(pathMembers(name, input)).every(
    (value) => !["", ".", ".."].includes(asText(value)),
  );

/** A sample with a new request id: a used one is a conflict. */
const renewed = (sample: object): Record<string, unknown> => {
  const input = sample as Record<string, unknown>;
  const isSample = typeof input.agentRequestId === "string" && input.paymentRequired;
  return isSample ? { ...input, agentRequestId: freshId() } : input;
};

/** Whether a named path is about the changed one: the same member or its neighbour, as ranges need. */
const isAbout = (named: string, changed: Path) =>
  named === String(changed[0]) || named.startsWith(`${changed[0]}.`);
