import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, test } from "vitest";

/** What a layer may import: paths of ours, and the packages it must not touch (or, `only`, the ones it may). */
type Rule = { layer: string; paths: string[]; only?: RegExp; never?: RegExp };

const PROTOCOL = "lib/sdk/protocol/index.ts";
const SDK = "lib/sdk/index.ts";
/** A table of addresses that the bundle of the entry point has no room for. */
const KNOWN_USDC = "lib/sdk/protocol/exact/usdc.ts";
/** What the sandbox offers over the API: schemas alone, so that callers may import them. */
const SANDBOX_OPERATIONS = "lib/sandbox/operations.ts";
/** The entry points that turn what a gate tells into spans and metrics. */
const WATCHING = ["lib/sdk/tracing/index.ts", "lib/sdk/metrics/index.ts"];
/** The verbs over MCP, which the service offers over HTTP. */
const VERBS = "lib/sdk/cli/index.ts";
/** How a count or a date is put into words; everyone but the SDK and the rules may use it. */
const TEXT = "lib/text/";
const NONE = /^$/;
const PAGES = /^(next|react|react-dom)(\/|$)/;
const PAGES_OR_HTTP = /^(next|react|react-dom|hono|@hono\/[^/]+)(\/|$)|^server-only$/;
const SERVER_ONLY = /^(node:|server-only$|hono(\/|$)|@hono\/|drizzle-orm|pg$|@electric-sql\/)/;

/** Who may import whom; the first layer a file lies in is its own. A folder ends in a slash. */
const RULES: Rule[] = [
  {
    layer: "lib/sdk/protocol/",
    paths: ["lib/sdk/protocol/"],
    only: /^zod\/mini$/,
  },
  {
    layer: "lib/sdk/client/",
    paths: ["lib/sdk/protocol/", "lib/sdk/client/"],
    only: /^zod\/mini$/,
  },
  {
    layer: "lib/sdk/gate/",
    paths: ["lib/sdk/protocol/", "lib/sdk/client/", "lib/sdk/gate/"],
    only: NONE,
  },
  {
    layer: "lib/sdk/in-band/",
    paths: ["lib/sdk/protocol/", "lib/sdk/client/", "lib/sdk/gate/", "lib/sdk/in-band/"],
    only: NONE,
  },
  ...["mcp", "a2a"].map((name) => ({
    layer: `lib/sdk/${name}/`,
    paths: [
      ...["protocol", "client", "gate", "in-band"].map((inner) => `lib/sdk/${inner}/`),
      `lib/sdk/${name}/`,
    ],
    only: NONE,
  })),
  {
    layer: "lib/sdk/x402/",
    paths: ["lib/sdk/protocol/", "lib/sdk/client/", "lib/sdk/x402/"],
    only: NONE,
  },
  ...["tracing", "metrics"].map((name) => ({
    layer: `lib/sdk/${name}/`,
    paths: ["lib/sdk/gate/", `lib/sdk/${name}/`],
    only: NONE,
  })),
  {
    layer: "lib/sdk/cli/",
    paths: ["lib/sdk/protocol/", "lib/sdk/client/", "lib/sdk/cli/"],
    only: /^node:(fs\/promises|readline|stream\/consumers|util)$/,
  },
  { layer: SDK, paths: ["lib/sdk/protocol/", "lib/sdk/client/", "lib/sdk/gate/"], only: NONE },
  { layer: "lib/console/", paths: ["lib/console/", PROTOCOL], only: /^zod\/mini$/ },
  { layer: "lib/domain/", paths: ["lib/domain/", "lib/console/", PROTOCOL], only: NONE },
  ...["cards", "chain", "crypto", "db", "mail", "outbound"].map((name) => ({
    layer: `lib/adapters/${name}/`,
    paths: [`lib/adapters/${name}/`, "lib/domain/", "lib/console/", PROTOCOL, KNOWN_USDC],
    never: PAGES_OR_HTTP,
  })),
  {
    layer: "lib/playground/",
    paths: ["lib/playground/", "lib/console/", SANDBOX_OPERATIONS, TEXT, PROTOCOL],
    only: NONE,
  },
  { layer: "lib/text/", paths: ["lib/text/"], only: NONE },
  { layer: "lib/probe/report/", paths: ["lib/probe/report/", TEXT], only: NONE },
  {
    layer: "lib/probe/",
    paths: [
      "lib/probe/",
      "lib/domain/",
      "lib/console/",
      "lib/playground/",
      SANDBOX_OPERATIONS,
      TEXT,
      PROTOCOL,
      SDK,
    ],
    never: PAGES,
  },
  {
    layer: "lib/sandbox/",
    paths: [
      "lib/sandbox/",
      "lib/server/",
      "lib/domain/",
      "lib/console/",
      "lib/adapters/",
      "lib/playground/",
      "lib/probe/",
      TEXT,
      PROTOCOL,
      SDK,
      ...WATCHING,
    ],
    never: PAGES,
  },
  {
    layer: "lib/server/",
    paths: [
      "lib/server/",
      "lib/domain/",
      "lib/console/",
      "lib/adapters/",
      "lib/playground/",
      "lib/probe/",
      "lib/sandbox/",
      TEXT,
      PROTOCOL,
      SDK,
      VERBS,
      ...WATCHING,
    ],
    never: PAGES,
  },
  {
    layer: "components/",
    paths: [
      "components/",
      "lib/console/",
      "lib/playground/",
      "lib/probe/report/",
      SANDBOX_OPERATIONS,
      TEXT,
      PROTOCOL,
    ],
    never: SERVER_ONLY,
  },
  {
    layer: "app/",
    paths: [
      "app/",
      "components/",
      "lib/server/",
      "lib/domain/",
      "lib/console/",
      "lib/playground/",
      "lib/probe/",
      "lib/sandbox/",
      TEXT,
      PROTOCOL,
    ],
    never: /^(drizzle-orm|pg$|@electric-sql\/|viem)/,
  },
];

/** Imports a rule forbids and a reason allows. */
const ALLOWED: Record<string, string> = {
  "lib/server/main.ts → next": "the one process starts Next behind its own port",
  "lib/server/running.ts → next/server": "a build of the pages must not start the service",
  "lib/domain/permissions/permission-facts.ts → zod":
    "a fact is spelled once: its schema parses what SQL answers and is its type",
};

/** Where `process.env` may stand: the one reader, and who hands it the environment of the process. */
const READS_ENVIRONMENT: Record<string, string> = {
  "lib/sdk/cli/main.ts": "entry point of the command line",
  "lib/server/main.ts": "entry point of `npm start`; NODE_ENV is Next's own switch",
  "lib/server/settings/load-settings.ts": "the settings of the entry points, with what `.env` has",
  "lib/server/boot-alone.ts": "entry point where Next owns the process",
  "app/demo/find-sandbox.ts": "pages ask where the sandbox's file is, through `readEnv`",
  "lib/sandbox/testing/serve-sandbox.ts": "a separate process for tests",
  "lib/sandbox/testing/serve-agent.ts": "a separate process for tests",
  "lib/testing/process-env.ts":
    "tests hand what a program needs on to the services they start, and nothing else",
  "lib/adapters/cards/testing/card-fixture.ts":
    "tests ask where a proof records what Stripe’s SDK sends",
  "lib/adapters/db/testing/postgres-cluster.ts": "tests look for `initdb` on the PATH",
  "lib/testing/in-full.ts": "tests ask whether they run in full",
  "lib/sdk/tracing/create-tracing.ts": "the specification names the variable that switches it on",
  "components/plans/subscriber-code.ts": "text shown on the page, not code that runs",
  "lib/playground/export-code.ts": "text shown on the page, not code that runs",
  "components/agents/gating-code.ts": "text shown on the page, not code that runs",
  "components/docs/example-code.ts": "text shown on the page, not code that runs",
  "proxy.ts": "NODE_ENV and Stripe's key decide about the content security policy",
};

/** How the wire, the card processor and the chain call the rails; the rules ask a rail instead. */
const SCHEME_LITERAL =
  /\bsvc:|card-processor|erc4337|eip155:|\.isCrypto\b(?!")|[{,]\s*isCrypto\s*[},]|\bisCard\b|is_crypto/;

const MAX_LINES = 300;
/** Files that are one idea and longer. */
const LONG_FILES: Record<string, string> = {
  "lib/domain/ports.ts": "one list: what the rules need from outside",
  "lib/playground/outcomes.ts": "one table: a row per outcome of a step",
  "lib/adapters/db/schema.ts": "one table per table of the database",
  "lib/adapters/db/testing/release-0.1.0-functions.sql": "a release as it was",
};

/** Who loads the sandbox while it runs, behind a check of the environment. A live process holds none of its code. */
const OPENS_SANDBOX = [
  "app/demo/find-sandbox.ts",
  "app/demo/run/route.ts",
  "app/docs/read-docs.ts",
  "lib/server/boot.ts",
  "lib/server/main.ts",
];

/** The package's entry points besides its root. */
const ENTRIES = ["protocol", "gate", "x402", "mcp", "a2a", "tracing", "metrics"].map(
  (name) => `lib/sdk/${name}/index.ts`,
);
const BARRELS = ["lib/sdk/cli/index.ts", SDK, ...ENTRIES];

const sources = ["app", "components", "lib"]
  .flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: "utf8" }).map((path) => join(top, path)),
  )
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.(tsx?|sql|sol)$/.test(path) && !/\.(test|spec)\.tsx?$/.test(path))
  .filter((path) => !/(^|\/)(node_modules|dist|\.[^/]+)\//.test(path))
  .sort();
const isTestSupport = (path: string) => /\/(testing|test-support)\//.test(path);
const read = (path: string) => readFileSync(path, "utf8");

/** Every specifier of a module, without those in comments and in texts. */
function importsOf(code: string): string[] {
  const bare = code
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/`[^`]*`/g, "``");
  const statement = /^\s*(?:import|export)\b(?:[^"'`;]*?\bfrom)?\s*["']([^"']+)["']/gm;
  const dynamic = /\b(?:import|require(?:\.resolve)?)\(\s*["']([^"']+)["']/g;
  return [statement, dynamic].flatMap((form) =>
    Array.from(bare.matchAll(form), ([, specifier]) => specifier as string),
  );
}

/** A file of the repository, or the package's name as written. */
function resolveImport(from: string, specifier: string): string {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  if (specifier.startsWith("@/")) return specifier.slice(2);
  const [, entry] = /^@turnpike\/payments(?:\/(\w+))?$/.exec(specifier) ?? [];
  if (entry) return `lib/sdk/${entry}/index.ts`;
  return specifier === "@turnpike/payments" ? SDK : specifier;
}

const isOurs = (target: string) => /^(app|components|lib)\//.test(target);

/** What is wrong with an import, or null. */
function faultOf(from: string, specifier: string): string | null {
  const rule = RULES.find(({ layer }) => from.startsWith(layer));
  const target = resolveImport(from, specifier);
  if (!rule || `${from} → ${target}` in ALLOWED) return null;
  const isFine = isOurs(target)
    ? rule.paths.some((path) => target.startsWith(path)) && !isTestSupport(target)
    : (rule.only?.test(target) ?? true) && !rule.never?.test(target);
  return isFine ? null : `${from} imports ${specifier}, which ${rule.layer} may not`;
}

const TYPES = /^\s*(?:import|export) type\b[^"';]*\bfrom\s*["'][^"']+["'];?/gm;

/** Modules of ours that a file loads when it is loaded itself: neither types nor dynamic imports. */
const staticImportsOf = (path: string) => loadedBy(path, read(path).replace(/\bimport\(/g, ""));

/** The same with dynamic imports: what a bundle of it holds. */
const bundledImportsOf = (path: string) => loadedBy(path, read(path));

function loadedBy(path: string, code: string): string[] {
  return importsOf(code.replace(TYPES, ""))
    .map((specifier) => resolveImport(path, specifier))
    .filter((target) => isOurs(target) && /\.tsx?$/.test(target));
}

/** Everything that is loaded with these files. */
function loadedWith(entries: readonly string[], importsOfOne = staticImportsOf): Set<string> {
  const loaded = new Set(entries);
  for (const path of loaded) for (const target of importsOfOne(path)) loaded.add(target);
  return loaded;
}

describe("the sandbox", () => {
  const isSandbox = (path: string) => path.startsWith("lib/sandbox/");
  const others = sources.filter(
    (path) => /\.tsx?$/.test(path) && !isSandbox(path) && !isTestSupport(path),
  );

  test("no module outside imports its code statically", () => {
    expect(others.filter((path) => staticImportsOf(path).some(isSandbox))).toEqual([]);
  });

  test("it is loaded dynamically from the named places only", () => {
    const load = /\bimport\(\s*["']@\/lib\/sandbox\//;
    expect(others.filter((path) => load.test(read(path)))).toEqual(OPENS_SANDBOX);
  });

  test.each([
    ["lib/server/main.ts", 150],
    ["lib/server/service.ts", 150],
    ["app/page.tsx", 10],
  ])("none of it is loaded with %s", (entry, least) => {
    const loaded = [...loadedWith([entry])];
    expect(loaded.length).toBeGreaterThan(least);
    expect(loaded.filter(isSandbox)).toEqual([]);
  });
});

test("a start loads nothing that draws PDFs", () => {
  const loaded = [...loadedWith(["lib/server/main.ts"])];
  expect(loaded).toContain("lib/server/documents/statement-files.ts");
  expect(loaded).not.toContain("lib/server/documents/pdf.ts");
});

describe("the arrows", () => {
  test("every import points the way the layers do", () => {
    const imports = sources
      .filter((path) => /\.tsx?$/.test(path) && !isTestSupport(path))
      .flatMap((path) => importsOf(read(path)).map((specifier) => [path, specifier] as const));
    expect(imports.length).toBeGreaterThan(400);
    expect(imports.map(([path, specifier]) => faultOf(path, specifier)).filter(Boolean)).toEqual(
      [],
    );
  });

  test.each([
    ["lib/domain/orders/orders.ts", "@/lib/adapters/db/client.ts"],
    ["lib/domain/orders/orders.ts", "node:crypto"],
    ["lib/domain/orders/orders.ts", "@turnpike/payments"],
    ["lib/adapters/db/orders.ts", "../chain/order.ts"],
    ["lib/adapters/db/orders.ts", "@/lib/server/env.ts"],
    ["lib/sdk/protocol/agent.ts", "../client/call.ts"],
    ["lib/sdk/gate/adapters/hono.ts", "hono"],
    ["lib/sdk/client/payments.ts", "@/lib/console/operations.ts"],
    ["lib/server/http/api.ts", "next/server"],
    ["lib/server/http/api.ts", "./testing/test-service.ts"],
    ["components/brand.tsx", "@/lib/domain/verbs.ts"],
    ["app/page.tsx", "@/lib/adapters/db/client.ts"],
  ])("%s must not import %s", (from, specifier) => {
    expect(faultOf(from, specifier)).toContain(specifier);
  });

  test("an import is found however it is written, and a mention of one is not", () => {
    const code = `import "a";\nimport type {\n  B,\n} from "b";\nexport * from "c";\nawait import("d");
      // import "no";\n/* import "no" */\nconst text = \`\nimport "no"\n\`;\nconst from = "no";`;
    expect(importsOf(code)).toEqual(["a", "b", "c", "d"]);
  });
});

test("the pages are built without the service, which took a quarter of their build", () => {
  const pages = sources.filter((path) => /^app\/.*\.tsx?$/.test(path) && !isTestSupport(path));
  const built = loadedWith(pages, bundledImportsOf);
  expect(built).toContain("lib/server/running.ts");
  expect(built).not.toContain("lib/server/boot.ts");
});

test("pages recognize nothing by the service's classes, of which they have their own copies", () => {
  const pages = sources.filter((path) => path.startsWith("app/"));
  const classes = pages.flatMap((path) => read(path).match(/(?<=instanceof )\w+/g) ?? []);
  expect(classes.filter((name) => !["Error", "FormData"].includes(name))).toEqual([]);
});

test("only the package's entry points pass exports on", () => {
  const modules = sources.filter((path) => /\.tsx?$/.test(path));
  const passOn = modules.filter((path) =>
    /^export (type )?(\*|\{[^}]*\}) (as \w+ )?from /m.test(read(path)),
  );
  expect(passOn).toEqual([...BARRELS].sort());
  expect(modules.filter((path) => /\/index\.tsx?$/.test(path))).toEqual([...BARRELS].sort());
});

test("controls wait until the page can respond, and no element has a style attribute", () => {
  const pages = sources.filter((path) => path.endsWith(".tsx"));
  const withOwn = (markup: RegExp) => pages.filter((path) => markup.test(read(path)));
  expect(withOwn(/<button\b/)).toEqual(["components/ui/live-button.tsx"]);
  expect(withOwn(/<input\b(?! type="hidden")/)).toEqual(["components/ui/fields/live-input.tsx"]);
  // The security policy would block it in the server's HTML.
  expect(withOwn(/\sstyle=\{/)).toEqual([]);
});

test("no time is followed by another signal alone: Node 20 forgets it, and it never ends anything", () => {
  const forgotten = /AbortSignal\.any\(\[[^\]]*AbortSignal\.timeout\(/;
  const served = sources.filter((path) => path.startsWith("lib/"));
  expect(served.filter((path) => forgotten.test(read(path)))).toEqual([]);
  expect(forgotten.test("AbortSignal.any([stop, AbortSignal.timeout(MS)])")).toBe(true);
});

test("URLs are told by a function of ours: that of Node 20 refuses umlauts in compiled code", () => {
  const told = sources.filter((path) => /URL\.canParse\(/.test(read(path)));
  // A report is written once, by a module that imports nothing.
  expect(told).toEqual(["lib/probe/report/junit.ts"]);
});

test("the environment is read in one place", () => {
  const readers = [...sources, "proxy.ts", "next.config.mjs"].filter((path) =>
    read(path).includes("process.env"),
  );
  expect(readers.sort()).toEqual(Object.keys(READS_ENVIRONMENT).sort());
});

test("the rules and the SQL functions name no payment scheme", () => {
  const ruled = sources.filter(
    (path) => /^lib\/(domain|adapters\/db\/functions)\//.test(path) && !isTestSupport(path),
  );
  expect(ruled.length).toBeGreaterThan(60);
  expect(ruled.filter((path) => SCHEME_LITERAL.test(read(path)))).toEqual([]);
  for (const code of ['scheme === "svc:x"', "case when v.is_crypto", "if (!price.isCrypto)"]) {
    expect(SCHEME_LITERAL.test(code)).toBe(true);
  }
});

test(`no file passes ${MAX_LINES} lines without a reason`, () => {
  const long = sources.filter((path) => read(path).split("\n").length - 1 > MAX_LINES);
  expect(long).toEqual(Object.keys(LONG_FILES).sort());
});

test("the decimals of money are written in one place", () => {
  const constant = /\b\w*(DECIMALS|DIGITS)\w*\s*(=|:)\s*(6|18)\b/;
  const others = sources.filter(
    (path) => /^(app|components|lib)\//.test(path) && !/^lib\/sdk\//.test(path),
  );
  expect(others.filter((path) => constant.test(read(path)))).toEqual([
    "lib/console/currency-decimals.ts",
  ]);
});
