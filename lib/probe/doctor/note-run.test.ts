import { expect, test } from "vitest";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import type { DoctorRun } from "@/lib/domain/records.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
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

test("a run for one endpoint says what it offers now, and keeps what the others did, also at once", async () => {
  const database = await openRuleStore();
  const service = createTestService(database);
  const { payments, address } = await service.party();
  const urls = ["https://agent.example/ask", "https://agent.example/other"];
  const endpoints = urls.map((POST) => ({ POST }));
  const { agentId } = await payments.agents.registerAgent({ name: "Asker" }, { endpoints });
  const noteOffers = (url = "", ...offers: ProbedOffer[]) => {
    const found = { verb: "POST", url, checkedAt: "2026-11-29T00:00:00Z", findings: [] };
    const report = found as unknown as DoctorReport;
    return noteDoctorRun(service.ports, address, { type: "end", report, offers });
  };
  const noted = async () => (await service.ports.agents.find(agentId))?.doctorRun;
  await Promise.all(urls.map((url) => noteOffers(url, offer("42", "Starter"))));
  const [ask, other] = urls.map((url) => `POST ${url}`) as [string, string];
  expect((await noted())?.offers).toEqual({ [ask]: ["42"], [other]: ["42"] });
  await noteOffers(urls[0], offer("44", "Pro"));
  expect((await noted())?.offers).toEqual({ [ask]: ["44"], [other]: ["42"] });
  await noteOffers(urls[0]);
  expect(await noted()).toEqual({
    at: "2026-11-29T00:00:00Z",
    passed: 0,
    checks: 0,
    offers: { [other]: ["42"] },
  });
  await database.close();
});
