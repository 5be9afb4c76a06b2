import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { runTool } from "../run-tool.ts";

/**
 * The tests of x402's own packages, at one commit, with Turnpike's readers and checkers in place of the functions under test.
 * npm has the packages without their tests, so these come from `X402_SOURCE`, a folder, or else from GitHub.
 */
const SOURCE = "https://github.com/coinbase/x402";
const COMMIT = "dd927a26";
const TESTS = {
  "core/test/unit/schemas/schemas.test.ts": "schemas",
  "core/test/unit/utils/utils.test.ts": "utils",
  "extensions/test/offer-receipt.test.ts": "offer-receipt",
};
const BESIDE = ["extensions/test/offer-receipt-test-utils.ts"];

/** Tests that Turnpike does not pass, and why. */
const LITERALS =
  "the specification's networks are read too: its literal `card-processor` has no colon";
const NETWORKS =
  "x402 Schemas Network Schema Validation V2 Network (CAIP-2 required) should reject";
const REASONS: Record<string, string> = {
  "x402 Schemas V2 Schemas PaymentRequiredV2Schema should reject missing resource":
    "the specification's 402 may come without a resource (2.4)",
  [`${NETWORKS} V1-style network names for V2`]: LITERALS,
  [`${NETWORKS} network without colon for V2`]: LITERALS,
  [`${NETWORKS} network too short for V2`]: LITERALS,
  "Signature Verification EIP-712 Verification verifyOfferSignatureEIP712 should recover different address for tampered signature":
    "a signature whose v is neither 27 nor 28 is refused, where the stock library recovers some address",
  "Utils convertToTokenAmount too-small errors should throw when a non-zero amount rounds down to 0":
    "the installed @x402/core is newer than these tests; Turnpike has no part in it",
};

type Report = {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

async function readSource(folder: string): Promise<string> {
  const given = process.env.X402_SOURCE;
  if (given) return given;
  const clone = ["git", "clone", "--quiet", SOURCE, "x402"];
  const { status, output } = runTool(folder, clone);
  const source = join(folder, "x402");
  const checkout = ["git", "checkout", "--quiet", COMMIT];
  if (status === 0 && runTool(source, checkout).status === 0) return source;
  throw new Error(
    `Its source cannot be read from ${SOURCE}. Put commit ${COMMIT} into a folder and set X402_SOURCE.\n${output}`,
  );
}

async function runTests(folder: string): Promise<Report> {
  const packages = join(await readSource(folder), "typescript/packages");
  for (const path of [...Object.keys(TESTS), ...BESIDE]) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await cp(join(packages, path), join(folder, path));
  }
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  // Its own releases of what it signs with.
  const own = resolve("node_modules/@x402/extensions/node_modules");
  await symlink(own, join(folder, "extensions/node_modules"));
  const alias = Object.values(TESTS).map((name) => ({
    find: `^(\\.\\./)+src/${name}$`,
    replacement: resolve(`scripts/proof/judges/${name}.ts`),
  }));
  const config = join(folder, "vitest.config.mjs");
  const report = join(folder, "report.json");
  await writeFile(
    config,
    `const alias = ${JSON.stringify(alias)}.map((each) => ({ ...each, find: new RegExp(each.find) }));
    export default {
      resolve: { alias: [...alias, { find: /^@\\//, replacement: ${JSON.stringify(`${resolve(".")}/`)} },
        { find: "@turnpike/payments/protocol", replacement: ${JSON.stringify(resolve("lib/sdk/protocol/index.ts"))} }] },
      server: { fs: { strict: false } },
      test: { root: ${JSON.stringify(folder)}, reporters: ["json"], outputFile: ${JSON.stringify(report)} },
    };`,
  );
  const vitest = resolve("node_modules/vitest/vitest.mjs");
  const { output } = runTool(folder, [process.execPath, vitest, "run", "--config", config]);
  const text = await readFile(report, "utf8").catch(() => null);
  if (text === null) throw new Error(`The tests did not run.\n${output.slice(-2_000)}`);
  return JSON.parse(text);
}

function printCounts({ testResults }: Report): number {
  let unexplained = 0;
  const counts = testResults.map(({ name, message, assertionResults }) => {
    if (assertionResults.length === 0) throw new Error(`${name} did not run: ${message}`);
    const failed = assertionResults.filter(({ status }) => status !== "passed");
    for (const { fullName, failureMessages } of failed) {
      const reason = REASONS[fullName];
      if (!reason) unexplained += 1;
      console.log(`${fullName}: ${reason ?? failureMessages[0]?.split("\n", 1)[0]}`);
    }
    const passed = assertionResults.length - failed.length;
    return `${basename(name, ".test.ts")} ${passed}/${assertionResults.length}`;
  });
  console.log(`judges: ${counts.join(", ")}, ${unexplained} without a reason`);
  return unexplained;
}

await inFolder(async (folder) => {
  process.exitCode = printCounts(await runTests(folder)) === 0 ? 0 : 1;
});
