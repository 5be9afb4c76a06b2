import { describe, expect, test } from "vitest";
import { inFull } from "../../testing/in-full.ts";
import { createRandom } from "../../testing/seeded-random.ts";
import {
  expressStacks,
  fastifyStacks,
  honoStacks,
  nodeStacks,
} from "../test-support/route-stacks.ts";

/** Per framework. */
const PATHS = inFull(100_000, 1_500);
const PIECES = [
  ..."ask ASK Ask threads Threads runs RUNS a b 7 . .. ... ~ - _ ; ;x ;a=1 , ! ' ( ) * + = & $ @ : :id {id} {x}".split(
    " ",
  ),
  ..."%2e %2E%2e %2F %2f %5c %5C %00 %0a %20 %25 %252e %252F %61sk %41sk as%6b %c0 %c0%ae %e2%82 %C3%A9 % %% %zz %u0061".split(
    " ",
  ),
  "\\",
  "\\..\\",
  "",
  "",
  "é",
  "ß",
  "a b",
  "a%20b",
  "?",
  "?x=/ask",
  "#",
  "#/ask",
  "//",
  "/./",
  "/../",
  "ask/",
  "ask.rsc",
  "ask.json",
  "http:",
  "http://evil",
  "http://evil\\",
  "[",
  "]",
  "|",
  "^",
  "`",
  "<",
  ">",
  '"',
  "\t",
];
const METHODS = ["POST", "POST", "GET", "HEAD"];

/** Seeded, so that the paths are always the same. */
function* generatePaths(count: number): Generator<[method: string, path: string]> {
  const { pick } = createRandom(20_260_101);
  for (let index = 0; index < count; index++) {
    const pieces = Array.from({ length: pick([1, 1, 2, 2, 3, 3, 4, 6]) }, () => pick(PIECES));
    yield [
      pick(METHODS),
      `${pick(["/", "/", "/", "//", "///", "http:///", ""])}${pieces.join(pick(["/", "/", "/", ""]))}`,
    ];
  }
}

describe.each([
  ["Hono", honoStacks],
  ["Express 5", expressStacks],
  ["Fastify 5", fastifyStacks],
  ["Node with new URL()", nodeStacks],
] as const)("between the gate and the router of %s", (name, open) => {
  test("T21: gate and router agree: a path that would run a gated route must be paid for, as that route", async () => {
    const { bare, gated, seen } = await open();
    const disagreements: unknown[] = [];
    const counted = { run: 0, undecodable: 0, unrouted: 0 };
    for (const [method, path] of generatePaths(PATHS)) {
      const target = path.startsWith("/") || name !== "Hono" ? path : `/${path}`;
      const { ran } = await bare.ask(method, target);
      seen.route = null;
      const answer = await gated.ask(method, target);
      const isRight =
        answer.ran === null &&
        (answer.status === 402 || answer.status === 400 || ran === null) &&
        (answer.status !== 402 || ran === null || seen.route === ran);
      if (!isRight) disagreements.push({ method, path: target, ran, answer, seen: seen.route });
      if (ran) counted.run += 1;
      if (answer.status === 400) counted.undecodable += 1;
      // The router has no such route, so a payer would get a 404 that costs nothing.
      if (ran === null && answer.status === 402) counted.unrouted += 1;
    }
    expect(disagreements.slice(0, 5)).toEqual([]);
    expect(counted.run).toBeGreaterThan(PATHS / 200);
    expect(counted.undecodable).toBeGreaterThan(PATHS / 20);
    console.log(
      `route confusion: ${name}: ${PATHS} paths, ${disagreements.length} disagreements, ${counted.run} ran a route, ${counted.undecodable} undecodable, ${counted.unrouted} 402 without a route`,
    );
  }, 120_000);
});
