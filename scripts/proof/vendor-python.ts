import { existsSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readSandboxFile } from "@/lib/sandbox/sandbox-file.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { runTool } from "./run-tool.ts";

/**
 * The end-to-end tests of the neighbor's Python SDK 1.15, from its source, against a sandbox by configuration alone. The
 * source comes from `VENDOR_SDK_PYTHON`, a folder, or else from GitHub.
 */
const SOURCE = "https://github.com/nevermined-io/payments-py";
const COMMIT = "3d8b44d";
const SUITES = { payments: "test_payments_e2e", x402: "test_x402_e2e" };
const NEEDED =
  "pyjwt requests pydantic httpx jsonschema websocket-client pytest pytest-asyncio pytest-timeout";

/**
 * What the SDK imports for its A2A, MCP and tracing parts, which these suites use none of: it finds empty classes where a
 * package is not installed, because not every registry has them.
 */
const STAND_INS = `
import importlib.abc, importlib.machinery, importlib.util, sys, types
ABSENT = {name for name in ("a2a", "helicone_helpers", "mcp", "socketio") if importlib.util.find_spec(name) is None}

class Empty(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, *given, **named: None})

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        return Empty(spec.name)
    def exec_module(self, module):
        pass

sys.meta_path.append(Finder())
`;

function run(folder: string, command: string[], env?: Record<string, string>): string {
  const { status, output } = runTool(folder, command, env);
  if (status === 0) return output;
  throw new Error(`${command.slice(0, 4).join(" ")} failed.\n${output.slice(-2_000)}`);
}

async function readSource(folder: string): Promise<void> {
  const given = process.env.VENDOR_SDK_PYTHON;
  if (given) return cp(given, folder, { recursive: true });
  run(folder, ["git", "clone", "--quiet", SOURCE, "."]);
  run(folder, ["git", "checkout", "--quiet", COMMIT]);
}

async function runTests(folder: string, python: string): Promise<void> {
  const sandbox = await readSandboxFile(process.env.TURNPIKE_SANDBOX_JSON ?? "");
  const standIns = join(folder, "stand-ins");
  await mkdir(standIns);
  await writeFile(join(standIns, "sitecustomize.py"), STAND_INS);
  const counts = Object.entries(SUITES).map(([suite, file]) => {
    const quiet = ["-q", "-rf", "--tb=line", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto"];
    const { output } = runTool(folder, [python, "-m", "pytest", ...quiet, `tests/e2e/${file}.py`], {
      PYTHONPATH: standIns,
      TEST_ENVIRONMENT: "custom",
      E2E_RETRIES: "0",
      NVM_BACKEND_URL: sandbox.url,
      TEST_BUILDER_API_KEY: sandbox.builder.apiKey,
      TEST_SUBSCRIBER_API_KEY: sandbox.subscriber.apiKey,
    });
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(output)?.[1] ?? 0);
    const [passed, failed, errors] = [count("passed"), count("failed"), count("errors?")];
    if (passed + failed + errors === 0) throw new Error(output.slice(-2_000));
    for (const line of output.matchAll(/^E {3}.*$/gm)) console.log(`${suite}: ${line[0].trim()}`);
    return `${suite} ${passed}/${passed + failed + errors}`;
  });
  console.log(`vendor, Python: ${counts.join(", ")}`);
}

await inFolder(async (folder) => {
  await readSource(folder);
  const python = join(folder, ".venv/bin/python");
  if (!existsSync(python))
    run(folder, ["python3", "-m", "venv", "--system-site-packages", ".venv"]);
  run(folder, [python, "-m", "pip", "install", "--quiet", ...NEEDED.split(" ")]);
  await runTests(folder, python);
});
