import "server-only";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Booted } from "./boot.ts";
import type { bootAlone } from "./boot-alone.ts";

const KEY = Symbol.for("turnpike.running");
type Holder = { [KEY]?: Promise<Booted> };

/** Makes the booted service known to Next's pages, which load their own copy of every module. */
export function setRunning(booted: Promise<Booted>): void {
  (globalThis as Holder)[KEY] = booted;
}

/**
 * The service of this process; boots it when the process is Next's own (`next start`, a platform), at its first request: a
 * build, which renders pages as far as it can, must start no service and make no keys.
 */
export async function getRunning(): Promise<Booted> {
  const holder = globalThis as Holder;
  if (!holder[KEY]) {
    // Loaded here, because Next prepares the process before its modules can be loaded.
    const { connection } = await import("next/server");
    await connection();
  }
  holder[KEY] ??= bootHere().catch((cause) => {
    // What is away now may be back at the next request.
    delete holder[KEY];
    throw cause;
  });
  return holder[KEY];
}

/** From the bundle beside the pages: in the pages' own modules, the service took a quarter of their build. */
async function bootHere(): Promise<Booted> {
  const path = join(process.cwd(), ".next/service/boot-alone.mjs");
  const built: { bootAlone: typeof bootAlone } = await import(
    /* turbopackIgnore: true */ /* @vite-ignore */ pathToFileURL(path).href
  );
  return built.bootAlone();
}
