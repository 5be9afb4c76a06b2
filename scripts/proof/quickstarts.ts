// Follows each quickstart from an empty folder to the first paid call on an own agent:
// node scripts/with-sandbox.ts node scripts/proof/quickstarts.ts [STACK …]
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { readPaper } from "@/lib/server/guides.ts";
import { blocksOf } from "./snippets/markdown.ts";
import { runDocument } from "./snippets/run-document.ts";
import { createReader, findPython, openSandbox } from "./snippets/world.ts";

const GUIDES = "docs/guides";
const asked = process.argv.slice(2);
const names = (await readdir(GUIDES))
  .filter((name) => /^quickstart-\w+\.md$/.test(name))
  .filter((name) => asked.length === 0 || asked.some((stack) => name.includes(stack)));
const { url, builder } = await openSandbox();
const place = await mkdtemp(join(tmpdir(), "turnpike-quickstart-"));
const fastapi = await findPython("fastapi, uvicorn");
const runtime = { name: process.version, folder: "" };
const done: { stack: string; secs: number; commands: number }[] = [];

// The first request packs them; a reader's sandbox has done that once.
for (const name of ["turnpike-payments", "create-turnpike-agent"]) {
  await fetch(`${url}/downloads/${name}.tgz`, { method: "HEAD" });
}
for (const name of names) {
  const stack = name.replace(/^quickstart-|\.md$/g, "");
  if (stack === "fastapi" && !fastapi) {
    console.log("quickstart fastapi: left out, no Python with fastapi and uvicorn");
    continue;
  }
  const { blocks } = blocksOf(name, readPaper(join(GUIDES, name)));
  const typed = blocks.filter(
    ({ language, words }) => language === "sh" && /run|serve/.test(words.join(" ")),
  );
  const commands = typed.flatMap(({ code }) => code.trim().split("\n")).length;
  const account = { apiKey: builder.apiKey, url, python: fastapi ?? "python3" };
  const folder = join(place, stack);
  const reader = await createReader(account, { folder, runtime, isBuilder: false });
  const start = performance.now();
  await runDocument(blocks, reader);
  const secs = (performance.now() - start) / 1000;
  if (stack === "next") await buildWithoutKey(join(folder, "my-agent"));
  console.log(`quickstart ${stack}: ${secs.toFixed(1)} s, ${commands} commands`);
  done.push({ stack, secs, commands });
}
/** A machine that builds the pages has neither key nor plan: Next loads `.env` itself. */
async function buildWithoutKey(folder: string): Promise<void> {
  await Promise.all([".env", ".next"].map((name) => rm(join(folder, name), { recursive: true })));
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" as const };
  await promisify(execFile)("npm", ["run", "build"], { cwd: folder, env });
  console.log("quickstart next: next build passes without a key");
}

await rm(place, { recursive: true, force: true });
const slowest = Math.max(...done.map(({ secs }) => secs));
const most = Math.max(...done.map(({ commands }) => commands));
console.log(
  `quickstarts: ${done.length} of ${names.length} paid, slowest ${slowest.toFixed(1)} s, at most ${most} commands`,
);
