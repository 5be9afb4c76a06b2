import { styleText } from "node:util";
import next from "next";
import { bootService } from "./boot.ts";
import type { Env } from "./env.ts";
import { withDownloads } from "./http/downloads.ts";
import { guardPages } from "./http/guard-pages.ts";
import { closeServer, createHttpServer, listen } from "./http/http-server.ts";
import { refuseForwarding } from "./http/refuse-forwarding.ts";
import { servePages } from "./http/serve-pages.ts";
import { createProgress, type Progress } from "./progress.ts";
import { setRunning } from "./running.ts";
import { loadSettings } from "./settings/load-settings.ts";
import { settleBoth } from "./settle-both.ts";
import { stopOnSignal } from "./stop-on-signal.ts";
import { messageOf } from "./watch/error-text.ts";
import { hideAborts } from "./watch/hide-aborts.ts";
import { inWorkers } from "./workers.ts";

/** `npm start`: dashboard and API together, with the demo in the sandbox. */
async function main(): Promise<void> {
  const env = loadSettings();
  await inWorkers(env, () => serve(env));
}

async function serve(env: Env): Promise<void> {
  const start = performance.now();
  const progress = createProgress();
  progress.line(styleText("bold", `\nTurnpike  ${env.environment}\n`));
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  stopOnSignal(async () => {
    progress.line("\n  stopping");
    await stop();
  });
  try {
    const opened = async <Part extends { close: () => Promise<void> }>(part: Promise<Part>) => {
      const { close } = await part;
      ends.push(close);
      return part;
    };
    const booting = bootService(env, progress);
    setRunning(booting);
    const [booted, pages] = await settleBoth(opened(booting), opened(startPages(env, progress)));
    const served = withDownloads(pages.handle, booted.ports.log);
    const server = createHttpServer(booted, guardPages(booted, served));
    if (pages.upgrade) server.on("upgrade", pages.upgrade);
    await listen(server, env.port, env.host);
    ends.push(() => closeServer(server, booted.events.stop));
    if (env.environment === "sandbox") {
      const { openDemo } = await import("@/lib/sandbox/open-demo.ts");
      ends.push(await openDemo(booted, progress));
    }
    const secs = ((performance.now() - start) / 1000).toFixed(1);
    progress.line(`\n  ${styleText("bold", env.origin)}  ready in ${secs} s. Stop with Ctrl-C.\n`);
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function startPages({ port, host }: Env, progress: Progress) {
  const isDev = process.env.NODE_ENV === "development";
  return progress.step("dashboard", isDev ? "development" : "built", async () => {
    refuseForwarding(globalThis);
    hideAborts(console);
    const app = next({ dev: isDev, customServer: true, port, hostname: host });
    await app.prepare();
    const answer = app.getRequestHandler();
    return {
      handle: isDev ? answer : servePages(answer),
      upgrade: isDev ? app.getUpgradeHandler() : null,
      close: () => app.close(),
    };
  });
}

main().catch((cause) => {
  console.error(`\n${messageOf(cause)}`);
  process.exit(1);
});
