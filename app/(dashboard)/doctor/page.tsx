import { requireSession } from "@/app/_session/session.ts";
import { Doctor } from "@/components/doctor/doctor.tsx";
import { METHODS } from "@/components/playground/request-draft.ts";
import { PageHeader } from "@/components/ui/page-header.tsx";

export const metadata = { title: "Doctor" };

type DoctorPageProps = {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function DoctorPage({ searchParams }: DoctorPageProps) {
  await requireSession();
  const { url, method } = await searchParams;
  const isUrl = typeof url === "string" && url.length <= 4096 && /^https?:\/\//.test(url);
  const isMethod = typeof method === "string" && METHODS.some((known) => known === method);
  return (
    <>
      <PageHeader title="Doctor">
        Examines any endpoint as a paying client would meet it. It sends no token, so nothing can be
        charged.
      </PageHeader>
      <Doctor verb={isMethod ? method : "POST"} url={isUrl ? url : ""} />
    </>
  );
}
