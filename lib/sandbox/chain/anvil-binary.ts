import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const packages: Record<string, string> = {
  "linux-x64": "@foundry-rs/anvil-linux-amd64",
  "linux-arm64": "@foundry-rs/anvil-linux-arm64",
  "darwin-x64": "@foundry-rs/anvil-darwin-amd64",
  "darwin-arm64": "@foundry-rs/anvil-darwin-arm64",
  "win32-x64": "@foundry-rs/anvil-win32-amd64",
};

/**
 * The path of the anvil binary for a platform.
 *
 * @throws Error that names the package to install, or says that the platform has none.
 */
export function anvilBinary(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const name = packages[`${platform}-${arch}`];
  if (!name) {
    throw new Error(
      `The embedded chain has no program for ${platform}-${arch} (it has ${Object.keys(packages).join(", ")}). ` +
        "Set CHAIN_RPC_URL to a chain of your own.",
    );
  }
  const file = locate(name, platform === "win32" ? "anvil.exe" : "anvil");
  if (file) return file;
  throw new Error(
    `The embedded chain's program is missing: package "${name}" is not installed. ` +
      "Run `npm install --include=optional` on this platform, or set CHAIN_RPC_URL to a chain of your own.",
  );
}

function locate(name: string, program: string): string | undefined {
  // Built at run time, so that bundlers ignore the optional package.
  const require = createRequire(join(process.cwd(), "package.json"));
  try {
    const file = join(dirname(require.resolve([name, "package.json"].join("/"))), "bin", program);
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
