import { requireSession } from "@/app/_session/session.ts";
import { Doctor } from "@/components/doctor/doctor.tsx";
import { METHODS } from "@/components/playground/request/request-draft.ts";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { readPresets } from "../read-presets.ts";

export const metadata = { title: "Doctor" };

type DoctorPageProps = {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function DoctorPage({ searchParams }: DoctorPageProps) {
  const { account } = await requireSession();
  const { url, method } = await searchParams;
  const isUrl = typeof url === "string" && url.length <= 4096 && /^https?:\/\//.test(url);
  const isMethod = typeof method === "string" && METHODS.some((known) => known === method);
  return (
    <>
      <PageHeader title="Doctor">
        Examines any endpoint as a paying client would meet it. Nothing is charged until you agree
        to paid checks and to the most they may use.
      </PageHeader>
      <Doctor
        key={`${method} ${url}`}
        verb={isMethod ? method : "POST"}
        url={isUrl ? url : ""}
        // A choice to start from; the checks work without it.
        presets={await readPresets(account.address).catch(() => [])}
      />
    </>
  );
}
