import fc from "fast-check";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { inFull } from "../../testing/in-full.ts";
import { canParseUrl } from "../protocol/encoding/parse-url.ts";
import { compileRoutes, findRoute, type RouteConfig } from "./routes.ts";

const PLAN: RouteConfig = { planId: "42" };
const compile = (key: string, config: RouteConfig = PLAN) =>
  compileRoutes({ [key]: config }, ["nvm"]);
const find = (key: string, method: string, path: string) => {
  const found = findRoute(compile(key), new Request(`http://agent.test${path}`, { method }));
  return found === null || found === "undecodable" ? found : found.key;
};

test("a config keeps what it inherits, as an instance of a class does", () => {
  const isSuccess = () => false;
  const config = Object.assign(Object.create({ agentId: "7", isSuccess, exact: true }), PLAN);
  expect(compile("POST /ask", config)).toMatchObject([{ agentId: "7", isSuccess, exact: true }]);
  const wrong = Object.assign(Object.create({ price: "free" }), PLAN);
  expect(() => compile("POST /ask", wrong)).toThrow(/`price`/);
});

describe("a route map is rejected when the gate is created", () => {
  const bad: [string, string, unknown, RegExp][] = [
    ["without a method", "/ask", PLAN, /METHOD \/path/],
    ["with an unknown method", "ANY /ask", PLAN, /not an HTTP method/],
    ["with a wildcard", "POST /ask/*", PLAN, /segment "\*"/],
    ["with an optional parameter", "POST /ask/:id?", PLAN, /segment ":id\?"/],
    ["with half a parameter", "POST /file-:id", PLAN, /neither plain text nor a whole parameter/],
    ["with a folder of Next", "GET /dyn/[id]", PLAN, /neither plain text nor a whole parameter/],
    ["with an encoded segment", "POST /a%20b", PLAN, /decoded form/],
    ["with a dot segment", "POST /a/../b", PLAN, /decoded form/],
    ["without a config", "POST /ask", null, /not an object/],
    ["without a plan", "POST /ask", {}, /no `planId`/],
    ["with an empty plan list", "POST /ask", { planId: [] }, /no `planId`/],
    ["with a plan that is none", "POST /ask", { planId: "plan-a" }, /"plan-a" is not a plan id/],
    ["with a plan that is a number", "POST /ask", { planId: 42 }, /`planId` 42 is not a plan id/],
    ["with one plan twice", "POST /ask", { planId: ["1", "1"] }, /twice/],
    [
      "with an unknown scheme",
      "POST /ask",
      { planId: "1", scheme: "exact" },
      /"exact" is not one of/,
    ],
    ["with a wrong agent id", "POST /ask", { planId: "1", agentId: "a b" }, /not an agent id/],
    ["with zero credits", "POST /ask", { planId: "1", credits: 0 }, /`credits` 0/],
    ["with negative credits", "POST /ask", { planId: "1", credits: -1n }, /`credits` -1/],
    ["with half a credit", "POST /ask", { planId: "1", credits: 0.5 }, /`credits` 0.5/],
    [
      "with a member that is misspelled",
      "POST /ask",
      { planId: "1", credit: 50 },
      /`credit` is not known. Did you mean `credits`\?/,
    ],
    ["with credits as text", "POST /ask", { planId: "1", credits: "1" }, /`credits` 1/],
  ];
  test.each(bad)("%s", (_what, key, config, message) => {
    expect(() => compile(key, config as RouteConfig)).toThrow(message);
    expect(() => compile(key, config as RouteConfig)).toThrow(`Route ${JSON.stringify(key)}`);
  });
});

test.each([
  ["POST /models/:model", "POST /models/large"],
  ["POST /ask/:id", "POST /ask/{name}"],
  ["GET /ask", "HEAD /ask"],
])("of %s and %s the second could never match, which is refused", (first, second) => {
  const both = () => compileRoutes({ [first]: PLAN, [second]: PLAN }, []);
  expect(both).toThrow(`Route "${second}": ${first} takes all its requests. Put it before that.`);
  expect(() => compileRoutes({ [second]: PLAN, [`${first}/more`]: PLAN }, [])).not.toThrow();
});

test("defaults are one credit and nothing else; null equals left out", () => {
  const nothing = { credits: null, agentId: null, network: null, scheme: null, mimeType: null };
  const [route] = compile("post /ask", { planId: "42", ...nothing, description: null });
  expect(route).toEqual({
    key: "post /ask",
    method: "POST",
    segments: ["ask"],
    planIds: ["42"],
    credits: 1n,
  });
});

test("a scheme with another brand's prefix is accepted", () => {
  expect(compile("POST /ask", { ...PLAN, scheme: "nvm:erc4337" })[0]?.scheme).toBe("svc:erc4337");
});

describe("matching", () => {
  test.each([
    ["POST /threads/:id/runs/wait", "POST", "/threads/7/runs/wait"],
    ["POST /threads/{thread_id}/runs/wait", "POST", "/threads/7/runs/wait"],
    ["GET /ask", "HEAD", "/ask"],
    ["POST /ask", "POST", "/ask/"],
    ["POST /ask", "POST", "//ask"],
    ["POST /ask", "POST", "/%61sk"],
    ["POST /ask", "POST", "/x/../ask"],
    ["POST /ask", "POST", "/ASK"],
    ["POST /ask", "POST", "/ask?x=/free"],
    ["GET /", "GET", "/"],
    ["GET /grüße", "GET", "/gr%C3%BC%C3%9Fe"],
    // Fastify runs the route with an empty parameter.
    ["POST /threads/:id", "POST", "/threads/"],
    ["POST /threads/:id/runs", "POST", "/threads//runs"],
  ])("%s gates %s %s", (key, method, path) => {
    expect(find(key, method, path)).toBe(key);
  });

  test.each([
    ["POST /ask", "GET", "/ask"],
    ["POST /ask", "POST", "/ask/more"],
    ["POST /ask", "POST", "/"],
    ["POST /threads/:id/runs/wait", "POST", "/threads/runs/wait"],
    ["HEAD /ask", "GET", "/ask"],
  ])("%s leaves %s %s alone", (key, method, path) => {
    expect(find(key, method, path)).toBeNull();
  });

  test.each(["/%", "/%c0", "/ask/%zz", "/a%2Fb", "/a%5Cb", "/a%00", `/${"a".repeat(3000)}`])(
    "%s is undecodable, so never ungated",
    (path) => {
      expect(find("POST /ask", "POST", path)).toBe("undecodable");
    },
  );

  test.each(["/ask\t", "/ask /", "http:/ask", "ask", "*"])(
    "%j, which no parsed URL holds, is undecodable",
    (url) => {
      expect(findRoute(compile("POST /ask"), { url, method: "POST" })).toBe("undecodable");
    },
  );

  test("a path with unresolved dot segments is undecodable", () => {
    for (const path of ["/threads/../runs", "/threads/%2e%2e/runs", "/./ask"]) {
      const raw = { url: `http://agent.test${path}`, method: "POST" } as Request;
      expect(findRoute(compile("POST /ask"), raw)).toBe("undecodable");
    }
  });

  test("a semicolon, at which some routers end the path, hides no route", () => {
    const routes = compile("POST /ask");
    const findAt = (path: string) =>
      findRoute(routes, { url: `http://agent.test${path}`, method: "POST" });
    expect([findAt("/ask;x=1"), findAt("/ASK;"), findAt("/ask/;/more")]).toEqual(
      Array(3).fill("undecodable"),
    );
    expect([findAt("/free;x=1"), findAt("/free?;/ask")]).toEqual([null, null]);
    const threads = compile("POST /threads/:id");
    expect(findRoute(threads, { url: "/threads/a;b", method: "POST" })).toBe(threads[0]);
  });

  test.each([
    "//x/ask",
    "///x/ask",
    "//x//ask",
    "//x\\ask",
    "//x/ask;y",
    "http:///x/ask",
    "HTTP:////x/ask",
    "http://x\\ask",
    "http://x\\ask/more",
    "file://C:/ask/long",
  ])("%j, which as a URL has another path, is undecodable", (url) => {
    const keys = ["POST /ask", "POST /ask/more", "POST /{drive}/ask/long"];
    const routes = compileRoutes(Object.fromEntries(keys.map((key) => [key, PLAN])), []);
    expect(findRoute(routes, { url, method: "POST" })).toBe("undecodable");
  });

  test("a path that as a URL reaches another route is not priced as its own", () => {
    const routes = compileRoutes({ "POST /cheap/ask": PLAN, "POST /ask": PLAN }, []);
    expect(findRoute(routes, { url: "//cheap/ask", method: "POST" })).toBe("undecodable");
    expect(findRoute(routes, { url: "/cheap/ask", method: "POST" })).toBe(routes[0]);
  });

  test.each(["//x/free", "///free", "http:///x/free", "http://x:1/free", "//[/ask/more"])(
    "%j, which reaches no route either way, is left alone",
    (url) => {
      expect(findRoute(compile("POST /ask"), { url, method: "POST" })).toBeNull();
    },
  );

  test.each([
    ["letter case", "/models/LARGE", ["/models/large", "/models/:model"]],
    ["a slash at the end", "/models/large/", ["/models/:model/:size", "/models/large"]],
  ])("%s chooses no other route than a router that ignores it", (_what, path, keys) => {
    const routes = compileRoutes(Object.fromEntries(keys.map((key) => [`POST ${key}`, PLAN])), []);
    const findAt = (url: string) => findRoute(routes, { url, method: "POST" });
    expect(findAt(path)).toBe("undecodable");
    expect(findAt("/models/large")).toMatchObject({ segments: ["models", "large"] });
  });

  test("of two routes that differ by case the exact one matches", () => {
    const routes = compileRoutes({ "GET /Ask": PLAN, "GET /ask": { planId: "43" } }, []);
    const found = findRoute(routes, new Request("http://agent.test/ask"));
    expect(found).toMatchObject({ key: "GET /ask" });
  });
});

test("whatever a router runs for a gated route, the gate has seen as that route", async () => {
  const keys = ["/ask", "/threads/:id/runs", "/threads/:id", "/a/b"];
  const routes = compileRoutes(Object.fromEntries(keys.map((key) => [`POST ${key}`, PLAN])), []);
  const app = new Hono();
  for (const key of keys) app.post(key, (c) => c.text(key));
  const piece = fc.constantFrom(
    "ask",
    "ASK",
    "threads",
    "runs",
    "a",
    "b",
    "/",
    "//",
    ".",
    "..",
    "%2e",
    "%2F",
    "%5c",
    "\\",
    ";x",
    "%",
    "%c0",
    "%61",
    "?",
    "#",
    "%00",
    "%25",
    "%252e",
    "é",
    " ",
    "{x}",
    ":id",
    "*",
    "@",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 7 }), async (pieces) => {
      const url = `http://agent.test/${pieces.join("/")}`;
      fc.pre(canParseUrl(url));
      const request = new Request(url, { method: "POST" });
      const ran = await app.request(request);
      const found = findRoute(routes, request);
      if (ran.status === 200) {
        expect(found === "undecodable" || found?.key === `POST ${await ran.text()}`).toBe(true);
      }
    }),
    { numRuns: inFull(3_000, 500) },
  );
});
