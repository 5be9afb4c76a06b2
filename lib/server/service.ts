import { bootService } from "./boot.ts";
import type { Env } from "./env.ts";
import { closeServer, createHttpServer, listen } from "./http/http-server.ts";
import { createProgress } from "./progress.ts";
import { loadSettings } from "./settings/load-settings.ts";
import { stopOnSignal } from "./stop-on-signal.ts";
import { messageOf } from "./watch/error-text.ts";
import { inWorkers } from "./workers.ts";

/** The API alone, without pages: `npm run service`, for more replicas over one database. */
async function runService(env: Env): Promise<void> {
  const progress = createProgress();
  const booted = await bootService(env, progress);
  const server = createHttpServer(booted, null);
  stopOnSignal(async () => {
    await closeServer(server, booted.events.stop);
    await booted.close();
  });
  await listen(server, env.port, env.host);
  progress.line(`  Turnpike API     http://${env.host}:${env.port}/api/v1/openapi.json`);
}

async function start(): Promise<void> {
  const env = loadSettings();
  await inWorkers(env, () => runService(env));
}

start().catch((cause) => {
  console.error(messageOf(cause));
  process.exit(1);
});
