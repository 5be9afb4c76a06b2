import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleRun } from "@/lib/console/shared-run.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { curlOf, fetchCodeOf, playwrightCodeOf, sdkCodeOf, stockCodeOf } from "./export-code.ts";
import { readSharedRun } from "./read-shared-run.ts";
import { isSecretHeader } from "./redact.ts";
import type { RunInput } from "./run.ts";

type Exported = Pick<RunInput, "method" | "url" | "headers" | "body">;

let folder: string;
/** Exists once a snippet has run a command. */
let ran: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hostile-"));
  ran = join(folder, "ran");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What breaks out of careless quoting, of a shell or of JavaScript. */
const attacks = () => [
  `$(touch ${ran})`,
  `\`touch ${ran}\``,
  `; touch ${ran} #`,
  `' ; touch ${ran} ; '`,
  `" ; touch ${ran} ; "`,
  `\n touch ${ran}\n`,
  `x-$(touch$IFS${ran})-token`,
  `x-\`touch$IFS${ran}\`-token`,
  `-o${ran}`,
  `--output=${ran}`,
  `"); globalThis.ran = true; ("`,
  `\`); globalThis.ran = true; (\``,
  `'); globalThis.ran = true; ('`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it would run in a template literal.
  "${globalThis.ran = true}",
  "*/ globalThis.ran = true /*",
  "\u2028globalThis.ran = true//",
  "__proto__",
  "@/etc/hostname",
  "\\",
];
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Tokens are valid names: they may hold commands as well. */
const hostile = () =>
  fc.oneof(
    fc.constantFrom(...attacks()),
    fc
      .tuple(fc.constantFrom(...attacks()), fc.string({ maxLength: 8 }))
      .map((parts) => parts.join("")),
    fc.string({ maxLength: 20, unit: "binary" }),
    fc.string({ maxLength: 12, unit: fc.constantFrom(..."$`'-_!token(){}&|") }),
  );
// No argument of a command can hold a NUL.
const text = () => hostile().map((value) => value.replaceAll("\0", ""));
const input = (): fc.Arbitrary<Exported> =>
  fc.record({
    method: text(),
    url: text(),
    headers: fc.array(fc.tuple(text(), text()), { maxLength: 4 }),
    body: fc.option(text()),
  });

/** The headers that a snippet has: those with a name that can be sent. */
const names = (headers: Exported["headers"]) =>
  headers.filter(([name]) => NAME.test(name) && name !== "__proto__");

/** What each command gave `curl`, as a shell read it. */
function argumentsOf(shell: string, commands: string[]): string[][] {
  const script = [`curl() { printf '%s\\0' "$#" "$@"; }`, ...commands].join("\n");
  const out = execFileSync(shell, ["-c", script], {
    encoding: "utf8",
    // With a socket as its input, bash would read its startup file.
    stdio: ["ignore", "pipe", "inherit"],
  });
  const words = out.split("\0");
  const found: string[][] = [];
  for (let at = 0; at < words.length - 1; at += 1 + Number(words[at])) {
    found.push(words.slice(at + 1, at + 1 + Number(words[at])));
  }
  return found;
}

test.each(["sh", "bash"])(
  "a stranger’s run is text to %s, and nothing in it is a command",
  (shell) => {
    fc.assert(
      fc.property(fc.array(input(), { minLength: 60, maxLength: 60 }), (runs) => {
        const found = argumentsOf(shell, runs.map(curlOf));
        expect(existsSync(ran)).toBe(false);
        expect(found).toEqual(
          runs.map(({ method, url, headers, body }) => [
            "--globoff",
            ...(method === "HEAD" ? ["--head"] : ["--include", "--request", method]),
            ...["--url", url],
            ...names(headers).flatMap(([name, value]) => [
              "--header",
              `${name}: ${isSecretHeader(name) ? "" : value}`,
            ]),
            ...["--header", "payment-signature: "],
            ...(body === null ? [] : ["--data-raw", body]),
          ]),
        );
      }),
      { numRuns: 3, endOnFailure: true },
    );
  },
);

const AsyncFunction = (async () => {}).constructor as new (
  ...code: string[]
) => (...given: unknown[]) => Promise<void>;

/** Runs a snippet's code with everything that it imports replaced; returns the requests it made. */
async function requestsOf(code: string): Promise<[string, Record<string, unknown>][]> {
  const made: [string, Record<string, unknown>][] = [];
  const response = {
    status: () => 402,
    headers: Object.assign(() => ({}), { get: () => null }),
    text: async () => "",
    ok: () => true,
  };
  const send = async (url: string, init: Record<string, unknown>) => {
    made.push([url, init]);
    return Object.assign({}, response, { response });
  };
  const given = {
    fetch: send,
    process: { env: {} },
    console: { log() {} },
    Payments: { getInstance: () => ({ fetch: send }) },
    wrapFetchWithPayment: () => send,
    privateKeyToAccount: () => ({}),
    x402Client: class {
      register() {
        return this;
      }
    },
    ExactEvmScheme: class {},
    expect: () => ({ toBe() {}, toBeTruthy() {} }),
    test: (_: string, run: (fixtures: object) => unknown) => run({ request: { fetch: send } }),
  };
  const body = code.replace(/^import .*$/gm, "").replace(/^test\(/m, "await test(");
  await new AsyncFunction(...Object.keys(given), body)(...Object.values(given));
  return made;
}

const sdkCode = (run: Exported) =>
  sdkCodeOf({ ...run, baseUrl: "https://pay.example", planId: run.url });

test.each([
  ["fetch", fetchCodeOf],
  ["Playwright", playwrightCodeOf],
  ["the SDK", sdkCode],
  ["@x402/fetch", stockCodeOf],
])("a stranger’s run is text to JavaScript: %s", async (_, codeOf) => {
  await fc.assert(
    fc.asyncProperty(input(), async (run) => {
      const made = await requestsOf(codeOf(run));
      expect("ran" in globalThis).toBe(false);
      expect(made.length).toBeGreaterThan(0);
      for (const [url, init] of made) {
        expect([url, init.method]).toEqual([run.url, run.method]);
        expect(init.body ?? init.data ?? null).toBe(run.body);
        const sent = Object.keys(init.headers ?? {}).filter((name) => name !== "payment-signature");
        for (const name of sent) expect(names(run.headers).map(([known]) => known)).toContain(name);
      }
    }),
    { numRuns: inFull(200, 50) },
  );
});

test("a stranger’s run does not choose the plan that a reader’s code pays", () => {
  const { input, planId } = readSharedRun({ ...sampleRun, planId: "42" });
  expect(sdkCodeOf({ ...input, baseUrl: "https://pay.example", planId })).not.toContain("planId");
});
