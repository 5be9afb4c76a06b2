import { build, type Plugin } from "esbuild";
import { serviceBuild } from "../build-service.mjs";

/** The service, and the tools that operate it beside its database. Each becomes a file of this name. */
export const ENTRIES = {
  service: "scripts/image/start-service.ts",
  account: "scripts/create-account.ts",
  preflight: "scripts/preflight.ts",
  reconcile: "scripts/reconcile.ts",
  refund: "scripts/refund.ts",
  repair: "scripts/repair.ts",
  "rotate-keys": "scripts/rotate-keys.ts",
};

/** Read from the working folder at run time. */
export const READ_BY_PATH = [
  "lib/adapters/db/migrations",
  "lib/adapters/db/functions",
  "docs/guides",
  "docs/errors.md",
  "docs/protocol.md",
  "node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
  "node_modules/dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf",
  "public",
  ".next/static",
  ".next/node_modules",
];

/** The service and its tools as plain JavaScript; packages stay where Next's pages find them, too. */
export async function bundleService(outdir: string): Promise<void> {
  await build(serviceBuild({ entryPoints: ENTRIES, outdir, plugins: [withoutSandbox] }));
}

/** What only a sandbox imports becomes one sentence. */
const withoutSandbox: Plugin = {
  name: "without-sandbox",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /lib\/sandbox\/(open-sandbox|open-demo|sandbox-verbs)/ }, ({ path }) => ({
      path,
      namespace: "sandbox",
    }));
    onLoad({ filter: /.*/, namespace: "sandbox" }, () => ({
      contents:
        'throw new Error("This folder holds a live service. Set TURNPIKE_ENVIRONMENT=live, or run npm start in the repository for a sandbox.");',
    }));
  },
};
