import { expect, test } from "vitest";
import type { DoctorRun } from "@/lib/domain/records.ts";
import type { CheckEvent, Probe, ProbedOffer } from "../report/probe.ts";
import type { DoctorReport } from "../report/report.ts";
import { noteChecks, noteDoctorRun } from "./note-run.ts";

const offer = (planId: string | null, planName: string | null) =>
  ({ planId, planName }) as ProbedOffer;
const probeOf = (...offers: ProbedOffer[]) => ({ findings: [], offers }) as unknown as Probe;

async function noted(...probes: Probe[]): Promise<Omit<DoctorRun, "at">[]> {
  const runs: Omit<DoctorRun, "at">[] = [];
  async function* events(): AsyncGenerator<CheckEvent> {
    yield { type: "start", endpoints: probes.map((_, at) => ({ verb: "POST", url: `/p${at}` })) };
    for (const [index, probe] of probes.entries()) yield { type: "endpoint", index, probe };
    yield { type: "agent", findings: [] };
  }
  for await (const _ of noteChecks(events(), async (run) => runs.push(run)));
  return runs;
}

test("the plans that each endpoint offers are noted, and nothing of one that offered none", async () => {
  const runs = await noted(
    probeOf(offer("42", "Starter"), offer("42", "Starter"), offer("43", "Pro")),
    probeOf(offer(null, null), offer("invented", null)),
    probeOf(),
  );
  expect(runs).toMatchObject([{ offers: { "POST /p0": ["42", "43"], "POST /p1": [] } }]);
});

test("a run for one endpoint says what it offers now, and keeps what the others did", async () => {
  const url = "https://agent.example/ask";
  const before = { at: "2026-11-01T00:00:00Z", passed: 1, checks: 1 };
  const offers = { [`POST ${url}`]: ["42"], "POST https://agent.example/other": ["43"] };
  const runs: DoctorRun[] = [];
  const agents = {
    findByEndpoint: async () => ({ agentId: "7", doctorRun: { ...before, offers } }),
    setDoctorRun: async (_: string, run: DoctorRun) => void runs.push(run),
  };
  const found = { verb: "POST", url, checkedAt: "2026-11-29T00:00:00Z", findings: [] };
  const report = found as unknown as DoctorReport;
  const noteOffers = (...offers: ProbedOffer[]) =>
    noteDoctorRun({ agents } as never, "0x1", { type: "end", report, offers });
  await noteOffers(offer("44", "Pro"));
  await noteOffers();
  const others = { "POST https://agent.example/other": ["43"] };
  expect(runs.map(({ offers }) => offers)).toEqual([
    { ...others, [`POST ${url}`]: ["44"] },
    others,
  ]);
});
