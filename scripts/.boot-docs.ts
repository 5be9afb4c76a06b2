import { writeFileSync } from "node:fs";
import { bootSandbox } from "/work/wt/docs/e2e/support/boot-sandbox.ts";

const s = await bootSandbox({});
writeFileSync("/tmp/docs-url", s.url + "\n" + s.dataDir);
process.on("SIGTERM", async () => {
  await s.stop();
  process.exit(0);
});
setInterval(() => {}, 1000);
