import { expect, test } from "vitest";
import type { CheckEvent, Probe } from "@/lib/probe/report/probe.ts";
import { NEW_RUN, withCheckEvent } from "./check-run.ts";

const NOW = new Date("2026-11-22T08:00:00.000Z");
const probe = { result: "ready", findings: [] } as unknown as Probe;

test("a run lists its endpoints, then each probe, then what concerns the whole agent", () => {
  const events = [
    {
      type: "start",
      endpoints: [
        { verb: "GET", url: "/a" },
        { verb: "POST", url: "/b" },
      ],
    },
    { type: "endpoint", index: 1, probe },
    { type: "agent", findings: [] },
  ] as CheckEvent[];
  const run = events.reduce((before, event) => withCheckEvent(before, event, NOW), NEW_RUN);
  expect(run).toEqual({
    endpoints: [
      { verb: "GET", url: "/a", probe: null },
      { verb: "POST", url: "/b", probe },
    ],
    whole: [],
    endedAt: "2026-11-22T08:00:00.000Z",
  });
});
