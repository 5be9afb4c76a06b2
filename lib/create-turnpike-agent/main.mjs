#!/usr/bin/env node
import { once } from "node:events";
import {
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile,
} from "node:fs/promises";
import { connect } from "node:net";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { NONCE_FILE, openAttempt } from "./open-attempt.mjs";
import { PACKAGE_FILE, readPackage } from "./read-package.mjs";
import { register } from "./register.mjs";
import { addressesOf, callOf, manifestOf, STACKS } from "./stacks.mjs";

const NAMES = Object.keys(STACKS).join("|");
const HELP = `Creates a paid agent on Turnpike.

  npx URL/downloads/create-turnpike-agent.tgz [folder] [options]

  --stack ${NAMES}
  --key    your API key (TURNPIKE_API_KEY)
  --url    the service (TURNPIKE_URL, else http://localhost:3000)
  --plan   your plan; by default, a free plan of 100 credits is registered
  --agent  your agent; by default, one is registered at http://localhost:PORT
  --port   the agent's port on this machine, by default 4021
  --yes    don't ask: by default, the folder is my-agent and the stack node
  --help`;

/** Where a project is written, then moved: a run that ended before it was whole can be repeated. */
const WRITTEN = ".turnpike-create-files";

const TEXT = { type: "string" };
const OPTIONS = {
  stack: TEXT,
  key: TEXT,
  url: TEXT,
  plan: TEXT,
  agent: TEXT,
  port: TEXT,
  yes: { type: "boolean", short: "y" },
  help: { type: "boolean", short: "h" },
};

async function main() {
  const { values, positionals } = readOptions();
  if (values.help) return console.log(HELP);
  const { env } = process;
  const url = (values.url || env.TURNPIKE_URL || "http://localhost:3000")
    .replace(/\/+$/, "")
    .replace(/\/api\/v1$/, "");
  const ask = values.yes ? async (_question, normal) => normal : openQuestions();
  const path = positionals[0] ?? (await ask("Folder", "my-agent"));
  const folder = resolve(path);
  await checkEmpty(folder);
  const stack = values.stack ?? (await ask(`Stack (${NAMES})`, "node"));
  if (!Object.hasOwn(STACKS, stack))
    throw new Error(`Unknown stack "${stack}". Choose one of ${NAMES}.`);
  const given = values.key ?? env.TURNPIKE_API_KEY;
  const typed = given || (await ask(`API key (create one at ${url}/settings/api-keys)`, ""));
  const key = typed.trim();
  if (!key)
    throw new Error(
      `An API key is required: create one at ${url}/settings/api-keys and pass it as --key.`,
    );
  if (!/^[!-~]+$/.test(key))
    throw new Error(
      "The API key is malformed. Copy the whole key, from `svc-` to its last character.",
    );
  const name = basename(folder);
  const port = values.port ?? "4021";
  await checkPort(port, { isNew: !values.agent });
  const sdk = await readPackage(url);
  // Before anything is registered: a plan without its agent's code would be left behind.
  const attempt = await openAttempt(folder);
  // Copying to a link fails.
  const real = await realpath(folder);
  const registration = {
    name,
    addresses: addressesOf(stack, { origin: `http://localhost:${port}`, url }),
    planId: values.plan,
    agentId: values.agent,
  };
  const nonce = attempt.nonceOf(registration);
  const { agentId, planId } = await register({ url, key, nonce, ...registration }).catch(
    async (cause) => {
      if (cause.isRefused) await attempt.end({ isRefused: true });
      throw cause;
    },
  );
  const written = join(real, WRITTEN);
  await rm(written, { recursive: true, force: true });
  await mkdir(written);
  await writeProject({ folder: written, name, stack, url, key, port, agentId, planId, sdk });
  for (const file of await readdir(written)) await rename(join(written, file), join(real, file));
  await rmdir(written);
  await attempt.end();
  console.log(`
${name} is ready: agent ${agentId}, plan ${planId}.

  cd ${quoted(path)}
  npm install
  npm start        the agent, on port ${port}
  npm run pay      a paid call, in a second terminal; npm test does both

Try it in the playground: ${url}/playground?agent=${agentId}`);
  process.exit();
}

function readOptions() {
  let read;
  try {
    read = parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch ({ code, message }) {
    const option = /'(-[^ ']*)/.exec(message)?.[1] ?? "An option";
    const isUnknown = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION";
    const what = isUnknown ? `Unknown option ${option}.` : `${option} needs a value.`;
    throw new Error(`${what}\n\n${HELP}`);
  }
  const [, second] = read.positionals;
  if (second !== undefined) throw new Error(`Pass one folder, without "${second}".\n\n${HELP}`);
  return read;
}

async function checkEmpty(folder) {
  const files = await readdir(folder).catch((cause) => {
    if (cause.code === "ENOENT") return [];
    throw new Error(`${folder} can’t be used as a folder. Choose another one.`, { cause });
  });
  if (files.some((name) => ![".git", NONCE_FILE, WRITTEN].includes(name)))
    throw new Error(`${folder} is not empty. Choose another folder.`);
}

/** A new agent is registered at its port, so nothing else may answer there, such as the service itself. */
async function checkPort(port, { isNew }) {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536;
  if (!isPort) throw new Error(`"${port}" is not a port. Pass a number from 1 to 65535 as --port.`);
  if (!isNew) return;
  const socket = connect(Number(port), "localhost");
  const isTaken = await once(socket, "connect").catch(() => false);
  socket.destroy();
  if (isTaken) throw new Error(`Port ${port} is in use. Pass a free one as --port.`);
}

/** As a shell takes it. */
const quoted = (path) => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** A folder's name as npm accepts it. */
const packageNameOf = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "") || "my-agent";

async function writeProject({ folder, name, stack, url, key, port, agentId, planId, sdk }) {
  const templates = join(import.meta.dirname, "templates");
  await cp(join(templates, "shared"), folder, { recursive: true });
  await cp(join(templates, stack), folder, { recursive: true });
  const readme = join(folder, "README.md");
  await writeFile(readme, (await readFile(readme, "utf8")).replace("{call}", callOf(stack)));
  const manifest = manifestOf({ name: packageNameOf(name), stack });
  await writeFile(join(folder, PACKAGE_FILE), sdk);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(folder, ".gitignore"), "node_modules\n.env\n.next\n.turnpike\n");
  const variables = {
    TURNPIKE_API_KEY: key,
    TURNPIKE_URL: url,
    TURNPIKE_PLAN_ID: planId,
    TURNPIKE_AGENT_ID: agentId,
    PORT: port,
  };
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
  await writeFile(join(folder, ".env"), lines.join(""), { mode: 0o600 });
}

/** Asks at the terminal; an empty answer is the normal one. */
function openQuestions() {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise((_answer, reject) => {
    terminal.once("close", () => {
      reject(
        new Error("\nThe question was not answered. Pass the folder, --stack and --key, or --yes."),
      );
    });
  });
  ended.catch(() => {});
  return async (question, normal) => {
    const answer = terminal.question(`${question}${normal && ` [${normal}]`}: `);
    return (await Promise.race([answer, ended])).trim() || normal;
  };
}

main().catch(({ message }) => {
  console.error(message);
  process.exit(1);
});
