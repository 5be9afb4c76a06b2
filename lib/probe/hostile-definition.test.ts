import { describe, expect, test, vi } from "vitest";
import { readDefinition } from "./read-definition.ts";

/** Of computing, so that a busy machine changes nothing. */
const BOUND_MS = 1_000;
const POST = {
  requestBody: {
    content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } },
  },
};
type Fields = Record<string, unknown>;
const openApi = (changes: Fields) => ({
  openapi: "3.1.0",
  paths: { "/ask": { post: POST } },
  ...changes,
});
const schemas = (all: Fields) => ({ components: { schemas: all } });
const times = <T>(count: number, make: (n: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, make(n)]));
const paths = (count: number, item: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`/p${n}`, item]));

/** The definition, read within the bound. */
function read(document: unknown) {
  const text = JSON.stringify(document);
  const start = process.cpuUsage();
  const result = readDefinition(text, "https://agent.example/openapi.json");
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(BOUND_MS);
  if ("other" in result) throw new Error(result.other);
  return result.found;
}

describe("a definition that is made to keep its reader busy", () => {
  test.each([
    ["properties", (ref: Fields) => ({ type: "object", properties: times(30, () => ref) })],
    ["parts of allOf", (ref: Fields) => ({ allOf: Array(30).fill(ref) })],
  ])("schemas whose %s each refer to the next one seven times have no sample", (_, make) => {
    const chain = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [
        `S${n}`,
        n === 7 ? { type: "string" } : make({ $ref: `#/components/schemas/S${n + 1}` }),
      ]),
    );
    const { endpoints } = read(openApi(schemas(chain)));
    expect(endpoints).toMatchObject([{ verb: "POST", url: "https://agent.example/ask" }]);
    expect(endpoints[0]).not.toHaveProperty("sample");
  });

  test("a long example that many properties share is not written out for each", () => {
    const S1 = { example: "x".repeat(1_000_000) };
    const S0 = {
      type: "object",
      properties: times(30, () => ({ $ref: "#/components/schemas/S1" })),
    };
    const document = openApi({ ...schemas({ S0, S1 }), paths: paths(100, { post: POST }) });
    expect(read(document).endpoints[0]).not.toHaveProperty("sample");
  });

  test.each([
    ["lists", `[${"[],".repeat(1_500_000)}[]]`],
    ["members", JSON.stringify(times(400_000, () => 0))],
    ["paths", JSON.stringify(openApi({ paths: paths(300_000, 0) }))],
  ])("a document of many short %s is not parsed", (_, text) => {
    const parse = vi.spyOn(JSON, "parse");
    expect(readDefinition(text, "https://agent.example/openapi.json")).toEqual({
      other: "JSON with more than 200,000 values",
    });
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  test("brackets and commas of texts are none of the document", () => {
    const description = `${'\\"[,{'.repeat(100_000)}"`;
    expect(read(openApi({ info: { title: '\\"', description } })).endpoints).toHaveLength(1);
  });

  test("paths without end are counted, and ten thousand are read", () => {
    const many = { ...paths(10_001, 0), "/last": { post: POST } };
    expect(read(openApi({ paths: many }))).toMatchObject({
      ...{ label: "OpenAPI 3.1, 10,002 paths", endpoints: [], leftOut: 2 },
    });
  });

  test("names of required properties are looked up once", () => {
    const all = times(60_000, () => ({ type: "string" }));
    const S0 = { type: "object", properties: all, required: Object.keys(all).reverse() };
    expect(read(openApi(schemas({ S0 }))).endpoints).toHaveLength(1);
  });

  test("the URL of a server with many braces, or that is too long, is no server", () => {
    const of = (url: string) => read(openApi({ servers: [{ url }] })).endpoints;
    expect(of("{".repeat(80_000))).toEqual([]);
    expect(of("{".repeat(2_000))).toHaveLength(1);
    const variables = { a: { default: "b".repeat(1_000_000) } };
    const document = openApi({ servers: [{ url: "{a}".repeat(600), variables }] });
    expect(read(document).endpoints).toEqual([]);
  });

  test("paths that share long lists of parameters, tags, answers or texts are read to a limit", () => {
    const parameter = { name: "q", in: "query", required: true, example: "a" };
    const shared = {
      parameters: Array(10_000).fill(parameter),
      get: {
        tags: Array.from({ length: 10_000 }, (_, n) => `tag ${n}`),
        summary: "s\u0301".repeat(200_000),
        responses: times(10_000, () => ({ $ref: "#/nowhere" })),
      },
    };
    const document = openApi({ shared, paths: paths(5_000, { $ref: "#/shared" }) });
    const { endpoints, leftOut, tags } = read(document);
    expect([endpoints.length, leftOut, tags?.length]).toEqual([100, 4_900, 10]);
    expect(endpoints[0]?.url).toBe("https://agent.example/p0?q=a");
  });

  test("references that lead to long references are resolved once", () => {
    const long = `#/${"a/".repeat(50_000)}`;
    const document = openApi({ long: { $ref: long }, paths: paths(5_000, { $ref: "#/long" }) });
    expect(read(document).endpoints).toEqual([]);
  });

  test("members that are objects which name toString are left out", () => {
    const odd = { toString: 1, valueOf: 1 };
    const parameters = [
      { name: "a", in: "path", example: odd },
      { name: "b", in: "path", example: [odd] },
      { name: "c", in: "path", schema: { type: "string", format: odd, minLength: odd } },
      { name: "d", in: "path", schema: { type: "string", format: "constructor" } },
    ];
    const servers = [{ url: "https://{v}agent.example", variables: { v: { default: odd } } }];
    const document = openApi({ servers, paths: { "/ask": { parameters, get: {} } } });
    const values = { a: "", b: "", c: "text", d: "text" };
    expect(read(document).endpoints).toMatchObject([{ url: "https://agent.example/ask", values }]);
    const card = { name: "Card", skills: [], url: "/a", supportedInterfaces: [{ transport: odd }] };
    expect(read(card).kind).toBe("a2a");
  });

  test("the addresses of a card and of a manifest are read to a limit", () => {
    const url = "https://agent.example/a2a";
    const skills = [{ tags: Array.from({ length: 50_000 }, (_, n) => `t${n}`) }];
    const supportedInterfaces = Array.from({ length: 50_000 }, (_, n) => ({ url: `/${n}` }));
    const card = read({ name: "Card", url, skills, supportedInterfaces });
    expect([card.kind, card.endpoints.length, card.tags?.length]).toEqual(["a2a", 10, 10]);
    const remotes = Array.from({ length: 100_000 }, (_, n) => `/${n}`);
    const manifest = read({ remotes });
    expect([manifest.kind, manifest.endpoints.length]).toEqual(["mcp", 100]);
  });
});
