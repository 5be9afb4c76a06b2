// The service with a profiler: SIGUSR2 starts it, and again writes the profile to the file in PROFILE.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

const SAMPLE_MICROSECONDS = 500;
const session = new Session();
session.connect();
let isOn = false;

process.on("SIGUSR2", async () => {
  isOn = !isOn;
  if (!isOn) {
    const { profile } = await session.post("Profiler.stop");
    writeFileSync(process.env.PROFILE ?? "", JSON.stringify(profile));
    return;
  }
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_MICROSECONDS });
  await session.post("Profiler.start");
});

await import("@/lib/server/service.ts");
