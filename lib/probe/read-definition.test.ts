import { plainLine } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { fillPlaceholders, placeholdersOf } from "./fill-placeholders.ts";
import { readDefinition } from "./read-definition.ts";

const URL_READ = "https://agent.example/v1/openapi.json";
const read = (document: unknown, url = URL_READ) => {
  const result = readDefinition(JSON.stringify(document), url);
  return "found" in result ? result.found : result.other;
};
const found = (document: unknown, url?: string) => {
  const result = read(document, url);
  if (typeof result === "string") throw new Error(result);
  return result;
};

const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Filings reader API", version: "1.4.0", contact: { name: "Meridian" } },
  servers: [{ url: "/v1" }],
  paths: {
    "/ask": {
      post: {
        summary: "Ask",
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Question" } } },
        },
      },
    },
    "/filings/{cik}/summary": {
      parameters: [{ name: "cik", in: "path", example: "0000320193" }],
      get: {
        parameters: [
          { name: "year", in: "query", required: true, schema: { type: "integer", minimum: 2020 } },
        ],
      },
    },
    "/health": { get: {} },
  },
  components: {
    schemas: {
      Question: {
        type: "object",
        required: ["question", "kind"],
        properties: {
          question: { type: "string" },
          kind: { enum: ["short", "long"] },
          note: { type: "string" },
        },
      },
    },
  },
};

describe("OpenAPI", () => {
  test("reads endpoints with samples and treats housekeeping paths as free", () => {
    const definition = found(OPENAPI);
    expect(definition).toMatchObject({
      kind: "openapi",
      label: "OpenAPI 3.1, 3 paths",
      name: "Filings reader API",
      version: "1.4.0",
      author: "Meridian",
      leftOut: 0,
    });
    expect(definition.endpoints).toEqual([
      {
        verb: "POST",
        url: "https://agent.example/v1/ask",
        summary: "Ask",
        sample: '{"question":"text","kind":"short"}',
        isPayable: true,
        isElsewhere: false,
      },
      {
        verb: "GET",
        url: "https://agent.example/v1/filings/{cik}/summary?year=2020",
        values: { cik: "0000320193" },
        isPayable: true,
        isElsewhere: false,
      },
      { verb: "GET", url: "https://agent.example/v1/health", isPayable: false, isElsewhere: false },
    ]);
  });

  test("treats only operations with a 402 as paid, if there are any", () => {
    const { paths } = OPENAPI;
    const priced = {
      ...OPENAPI,
      paths: { ...paths, "/ask": { post: { responses: { 402: {} } } } },
    };
    expect(found(priced).endpoints.map(({ isPayable }) => isPayable)).toEqual([true, false, false]);
  });

  test.each([
    [
      [{ url: "https://api.agent.example/{v}", variables: { v: { default: "v2" } } }],
      "https://api.agent.example/v2/a",
      true,
    ],
    [undefined, "https://agent.example/a", false],
    [[{ url: "javascript:alert(1)" }], null, false],
    [[{ url: "https://user:pw@agent.example" }], null, false],
  ])("servers %j lead to %s", (servers, url, isElsewhere) => {
    const { endpoints } = found({ openapi: "3.0.3", paths: { "/a": { get: {} } }, servers });
    expect(endpoints.map((one) => [one.url, one.isElsewhere])).toEqual(
      url ? [[url, isElsewhere]] : [],
    );
  });

  test("limits cycles, depth and size", () => {
    const circle = { $ref: "#/components/schemas/Node" };
    const deep = Array.from({ length: 200 }).reduce<unknown>(
      (inner) => ({ type: "array", items: inner }),
      {},
    );
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`/p${at}`, { get: {} }]),
    );
    const definition = found({
      openapi: "3.1.0",
      paths: {
        "/circle": {
          post: { requestBody: { content: { "application/json": { schema: circle } } } },
        },
        "/deep": { post: { requestBody: { content: { "application/json": { schema: deep } } } } },
        ...paths,
      },
      components: { schemas: { Node: { type: "object", properties: { next: circle } } } },
    });
    expect(definition.endpoints).toHaveLength(100);
    expect(definition.leftOut).toBe(202);
  });
});

describe("A2A cards", () => {
  test("counts skills and reads URLs as endpoints", () => {
    expect(
      found(
        {
          name: "Researcher",
          url: "https://agent.example/a2a",
          version: "2",
          provider: { organization: "Meridian" },
          capabilities: { streaming: true },
          skills: [{ id: "1", tags: ["search"] }, { id: "2" }, { id: "3" }],
          additionalInterfaces: [{ url: "https://agent.example/grpc", transport: "GRPC" }],
        },
        "https://agent.example/.well-known/agent-card.json",
      ),
    ).toMatchObject({
      kind: "a2a",
      label: "A2A card, 3 skills",
      name: "Researcher",
      author: "Meridian",
      tags: ["search"],
      endpoints: [{ verb: "POST", url: "https://agent.example/a2a", isStream: true }],
    });
  });
});

describe("MCP manifests", () => {
  test.each([
    [
      { name: "files", remotes: [{ type: "streamable-http", url: "https://m.example/mcp" }] },
      "MCP manifest, 1 server",
    ],
    [{ mcpServers: { files: { url: "https://m.example/mcp" } } }, "MCP manifest, 1 server"],
    [
      { name: "files", transport: { type: "http", url: "https://m.example/mcp" }, tools: [{}, {}] },
      "MCP manifest, 2 tools",
    ],
    [
      { serverInfo: { name: "files" }, endpoint: "https://m.example/mcp", protocolVersion: "1" },
      "MCP manifest, 1 server",
    ],
  ])("%j", (document, label) => {
    const definition = found(document, "https://m.example/mcp.json");
    expect(definition.label).toBe(label);
    expect(definition.endpoints.map(({ verb, url }) => `${verb} ${url}`)).toEqual([
      "POST https://m.example/mcp",
    ]);
  });
});

describe("other documents are described", () => {
  test.each([
    ["", "empty"],
    ["<!doctype html><title>x</title>", "an HTML page"],
    ["openapi: 3.1.0\npaths: {}", "YAML; only JSON is supported"],
    ["hello", "not JSON"],
    ['{"swagger":"2.0"}', "Swagger 2, not OpenAPI 3"],
    ['{"openapi":"4.0.0"}', "another OpenAPI version"],
    ['{"agent":"Reader"}', "unknown JSON"],
    ["[1]", "not a definition"],
  ])("%j is %s", (text, other) => {
    expect(readDefinition(text, URL_READ)).toEqual({ other });
  });

  test("shortens untrusted text and removes hiding and reordering characters", () => {
    const title = `\u202eevil\u0000 ${"x".repeat(10_000)}`;
    const definition = found({ openapi: "3.1.0", info: { title }, paths: {} });
    expect(definition.name).toHaveLength(120);
    expect(definition.name).toMatch(/^evil x+…$/);
  });

  test.each([
    ["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["Hindi", "\u0915\u094d\u200d\u0937"],
    ["a person at a computer", "\u{1f469}\u200d\u{1f4bb}"],
  ])("keeps the joiners that change what is seen of a name: %s", (_, name) => {
    expect(found({ openapi: "3.1.0", info: { title: name }, paths: {} }).name).toBe(name);
  });

  test("a name that is shortened after a joiner is one that can be registered", () => {
    const title = `${"x".repeat(117)}\u0645\u200c\u0645\u0645`;
    const { name } = found({ openapi: "3.1.0", info: { title }, paths: {} });
    expect(plainLine(120).parse(name)).toBe(`${"x".repeat(117)}\u0645…`);
  });

  test("unexpected shapes never throw", () => {
    for (const value of [null, 1, [], {}, { a: null }]) {
      for (const key of ["paths", "info", "servers", "components"]) {
        expect(() => read({ openapi: "3.1.0", [key]: value })).not.toThrow();
      }
      expect(() => read({ openapi: "3.1.0", paths: { "/a": { post: value } } })).not.toThrow();
      expect(() => read({ name: "x", skills: [value], url: value })).not.toThrow();
      expect(() => read({ tools: [value], remotes: [value] })).not.toThrow();
    }
  });
});

test("fills both spellings of placeholders and nothing else", () => {
  const url = "http://localhost:3000/users/:id/files/{file}.json?q={x}#:no";
  expect(placeholdersOf(url)).toEqual(["id", "file"]);
  expect(fillPlaceholders(url, { id: "a/b" })).toBe(
    "http://localhost:3000/users/a%2Fb/files/1.json?q={x}#:no",
  );
});

test("a document that nests too deeply is none", () => {
  const depth = 20_000;
  const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const text = `{"openapi":"3.1.0","paths":{"/ask":{"post":{"requestBody":{"content":{"application/json":{"example":${deep}}}}}}}}`;
  expect(readDefinition(text, URL_READ)).toEqual({ other: "JSON that nests too deeply" });
});
