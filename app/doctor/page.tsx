import { readSession } from "@/app/_session/session.ts";
import { readPresets } from "@/app/(dashboard)/read-presets.ts";
import { Doctor } from "@/components/doctor/doctor.tsx";
import { METHODS } from "@/components/playground/request/request-draft.ts";
import type { Searched } from "@/components/search-params.ts";
import { PageHeader } from "@/components/ui/page-header.tsx";

export const metadata = {
  title: "Doctor",
  description: "Check any paid endpoint the way an x402 client sees it. No account needed.",
};

export default async function DoctorPage({ searchParams }: Searched) {
  const session = await readSession();
  const { url, method } = await searchParams;
  const isUrl = typeof url === "string" && url.length <= 4096 && /^https?:\/\//.test(url);
  const isMethod = typeof method === "string" && METHODS.some((known) => known === method);
  return (
    <>
      <PageHeader title="Doctor">
        Check any endpoint the way a paying client sees it. Nothing is charged unless you agree to
        paid checks and their maximum cost.
      </PageHeader>
      <Doctor
        key={`${method} ${url}`}
        verb={isMethod ? method : "POST"}
        url={isUrl ? url : ""}
        // Presets are optional: the checks work without them.
        presets={await readPresets(session?.account.address ?? null).catch(() => [])}
      />
    </>
  );
}
