import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";
import { serviceBuild } from "../../../scripts/build-service.mjs";
import { BUILD_ID } from "./build-id.ts";

const commit = (() => {
  try {
    return execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
})();

const buildWith = async () => {
  const entryPoints = ["lib/server/watch/build-id.ts"];
  const { outputFiles = [] } = await build(
    serviceBuild({ entryPoints, outdir: "dist", write: false }),
  );
  return outputFiles.map(({ text }) => text).join("");
};

test("sources that run without a build have no id of one", () => {
  expect(BUILD_ID).toBeUndefined();
});

test.skipIf(!commit)(
  "a build has the commit that it was made of, or the one it is told",
  async () => {
    expect(await buildWith()).toContain(`"${commit}`);
    vi.stubEnv("COMMIT", "told-by-the-image");
    expect(await buildWith()).toContain('"told-by-the-image"');
    vi.unstubAllEnvs();
  },
);
