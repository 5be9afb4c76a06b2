// Installing and building change in place what a running service reads late.
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { BUILT_LOCK } from "./build-service.mjs";

/** A locked folder for each process that `npm start` serves from `.next`. */
const SERVING = ".next/serving";

const loadLock = () => import(/* @vite-ignore */ `../${BUILT_LOCK}`);

/** Notes that this process serves from `.next` until it ends. */
export async function markServing() {
  const folder = join(SERVING, String(process.pid));
  const { lockInstance } = await loadLock();
  await lockInstance(folder);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** Ends this process if another one serves from `.next`. */
export async function refuseWhileServed() {
  if (!existsSync(SERVING) || !existsSync(BUILT_LOCK)) return;
  const { findHolder } = await loadLock();
  for (const pid of readdirSync(SERVING)) {
    if (await findHolder(join(SERVING, pid))) {
      refuse(
        `Process ${pid} serves this folder's pages, and its sources or packages have changed. Installing or building now would break it: stop it first.`,
      );
    }
    rmSync(join(SERVING, pid), { recursive: true, force: true });
  }
}

/** Ends this process if its data folder or its port is in use, before anything is installed or built for it. */
export async function refuseSecond() {
  const file = existsSync(".env") ? parseEnv(readDotEnv()) : {};
  const setting = (name) => (process.env[name] || file[name])?.trim();
  if (existsSync(BUILT_LOCK)) {
    const { findHolder } = await loadLock();
    const holder = await findHolder(setting("TURNPIKE_DATA_DIR") || ".turnpike");
    if (holder) refuse(holder);
  }
  const port = setting("PORT") || "3000";
  if (!(await isTaken(port, setting("HOST") || "127.0.0.1"))) return;
  refuse(`Port ${port} is taken. Set PORT to a free one, or stop what listens there.`);
}

function readDotEnv() {
  try {
    return readFileSync(".env", "utf8");
  } catch ({ code }) {
    // As `lib/server/settings/load-settings.ts` says it, which may need packages that are not installed yet.
    refuse(
      `The user of this process can't read .env (${code}). Let it, or move the file out of this folder.`,
    );
  }
}

async function isTaken(port, host) {
  // What is no port is refused with the other settings; 0 is any free one.
  if (!/^\d{1,5}$/.test(port) || Number(port) === 0 || Number(port) > 65_535) return false;
  const socket = connect(Number(port), host);
  const isOpen = await once(socket, "connect").catch(() => false);
  socket.destroy();
  return isOpen !== false;
}

function refuse(message) {
  console.error(message);
  process.exit(1);
}
