import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = JSON.parse(readFileSync("package.json", "utf8")) as Record<
  "scripts" | "devDependencies",
  Record<string, string>
>;
const INSTALLS = "node scripts/ensure-dev.mjs";
/** Plain scripts run before anything is installed, and install what they need. */
const INSTALLERS = "*.mjs";

const isForDevelopment = (path: string) =>
  Object.keys(root.devDependencies).some((name) => path === name || path.startsWith(`${name}/`));

/** The commands that development packages bring. */
const commands = new Set(
  Object.keys(root.devDependencies).flatMap((name) => {
    const { bin } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    return typeof bin === "string" ? [name.split("/").at(-1)] : Object.keys(bin ?? {});
  }),
);

const fileOf = (command: string) => /\S+\.ts$/.exec(command)?.[0];

/** Which of these files import development packages, themselves or through what they import. */
async function findImporters(files: string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: files,
    outdir: "unwritten",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    external: [INSTALLERS],
    logLevel: "silent",
  });
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (seen.has(path)) return false;
    seen.add(path);
    const imports = metafile.inputs[path]?.imports ?? [];
    return imports.some((it) => (it.external ? isForDevelopment(it.path) : reaches(it.path, seen)));
  };
  return files.filter((file) => reaches(file, new Set()));
}

test("every command that needs development packages installs them first", async () => {
  const all = Object.entries(root.scripts);
  const importers = await findImporters(all.flatMap(([, command]) => fileOf(command) ?? []));
  const isNeeding = (command: string) =>
    importers.includes(fileOf(command) ?? "") ||
    command.split("&&").some((part) => commands.has(part.trim().split(" ")[0]));
  const needing = all.flatMap(([name, command]) => (isNeeding(command) ? [name] : []));
  expect(needing).toEqual(expect.arrayContaining(["check", "format", "db:generate"]));
  expect(needing.filter((name) => root.scripts[`pre${name}`] !== INSTALLS)).toEqual([]);
});
