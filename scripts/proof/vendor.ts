import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readSandboxFile } from "@/lib/sandbox/sandbox-file.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { installTools, runTool } from "./run-tool.ts";

/**
 * The neighbor's own end-to-end tests, of its SDK's source at one commit, against a sandbox by configuration alone. npm
 * has only an old release without tests, so the source comes from `VENDOR_SDK`, a folder, or else from GitHub.
 */
const SOURCE = "https://github.com/nevermined-io/payments";
const COMMIT = "4f05e6c";
const SUITES = {
  payments: ["test_payments_e2e"],
  x402: ["test_x402_e2e"],
  express: ["test_express_middleware_e2e"],
  a2a: ["test_a2a_e2e", "test_a2a_client_e2e"],
  mcp: ["test_mcp_oauth_e2e"],
};
const NEEDED =
  /^(jest|ts-jest|babel-jest|typescript|supertest|tslib|@babel\/|@types\/|@modelcontextprotocol\/)/;

type Report = {
  testResults: {
    name: string;
    assertionResults: { status: string; title: string; failureMessages: string[] }[];
  }[];
};

async function readSource(folder: string): Promise<void> {
  const given = process.env.VENDOR_SDK;
  if (given) {
    const isWanted = (path: string) => !/node_modules|\.git$/.test(path.slice(given.length));
    await cp(given, folder, { recursive: true, filter: isWanted });
    return;
  }
  const { status, output } = runTool(folder, ["git", "clone", "--quiet", SOURCE, "."]);
  if (status === 0 && runTool(folder, ["git", "checkout", "--quiet", COMMIT]).status === 0) return;
  throw new Error(
    `Its source cannot be read from ${SOURCE}. Put commit ${COMMIT} into a folder and set VENDOR_SDK.\n${output}`,
  );
}

async function install(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const development = Object.entries(manifest.devDependencies).filter(([name]) =>
    NEEDED.test(name),
  );
  await installTools(folder, {
    ...manifest,
    scripts: {},
    // Any release: registries keep different ones.
    dependencies: { ...manifest.dependencies, "@traceloop/node-server-sdk": ">=0.26.0" },
    devDependencies: Object.fromEntries(development),
  });
}

async function runTests(folder: string): Promise<Report> {
  const base = JSON.parse(await readFile(join(folder, "tests/jest.config.json"), "utf8"));
  const compiler = { module: "CommonJS", esModuleInterop: true, target: "ES2020" };
  const transform = { diagnostics: false, isolatedModules: true, tsconfig: compiler };
  const config = join(folder, "tests/jest.turnpike.json");
  await writeFile(
    config,
    JSON.stringify({
      ...base,
      forceExit: true,
      detectOpenHandles: false,
      transform: { "^.+\\.tsx?$": ["ts-jest", transform] },
    }),
  );
  const sandbox = await readSandboxFile(process.env.TURNPIKE_SANDBOX_JSON ?? "");
  const report = join(folder, "report.json");
  const names = Object.values(SUITES).flat();
  const jest = ["npx", "jest", "--config", config, "--runInBand", "--silent", "--json"];
  const { output } = runTool(folder, [...jest, "--outputFile", report, ...names], {
    TEST_ENVIRONMENT: "custom",
    NVM_BACKEND_URL: sandbox.url,
    TEST_BUILDER_API_KEY: sandbox.builder.apiKey,
    TEST_SUBSCRIBER_API_KEY: sandbox.subscriber.apiKey,
  });
  // Jest ends with an error where a test failed, and writes a report all the same.
  if (!existsSync(report)) throw new Error(`Its tests did not run.\n${output.slice(-2_000)}`);
  return JSON.parse(await readFile(report, "utf8"));
}

function printCounts({ testResults }: Report): void {
  const counts = Object.entries(SUITES).map(([suite, files]) => {
    const ran = testResults
      .filter(({ name }) => files.includes(basename(name).replace(/\.test\.ts$/, "")))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status !== "pending");
    const failed = ran.filter(({ status }) => status !== "passed");
    for (const { title, failureMessages } of failed) {
      console.log(`${suite}: ${title}: ${failureMessages[0]?.split("\n", 1)[0]}`);
    }
    return `${suite} ${ran.length - failed.length}/${ran.length}`;
  });
  console.log(`vendor: ${counts.join(", ")}`);
}

await inFolder(async (folder) => {
  await readSource(folder);
  await install(folder);
  printCounts(await runTests(folder));
});
