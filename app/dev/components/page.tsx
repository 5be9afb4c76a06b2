import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { SiteHeader } from "@/components/site-header.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { ButtonExamples } from "./button-examples.tsx";
import { ChartExamples } from "./chart-examples.tsx";
import { CodeExamples } from "./code-examples.tsx";
import { DialogExamples } from "./dialog-examples.tsx";
import { FieldExamples } from "./field-examples.tsx";
import { StateExamples } from "./state-examples.tsx";
import { StepExamples } from "./step-examples.tsx";
import { TableExamples } from "./table-examples.tsx";
import { ValueExamples } from "./value-examples.tsx";

export const metadata: Metadata = { title: "Components", robots: { index: false } };

/** Components in all their states, with example data; the pages show the others. Not served in live. */
export default async function ComponentsPage() {
  const { env } = await getRunning();
  if (env.environment === "live") notFound();
  return (
    <>
      <SiteHeader />
      <main id="main" tabIndex={-1} className="wrap w-full pt-6 pb-16 outline-none">
        <PageHeader title="Components">
          The components with states that pages rarely show, and those used by keyboard. Values from
          the machine are in mono. Color means a state or a payment status. All data is made up.
        </PageHeader>
        <ButtonExamples />
        <FieldExamples />
        <ValueExamples />
        <TableExamples />
        <ChartExamples />
        <CodeExamples />
        <StepExamples />
        <DialogExamples />
        <StateExamples />
      </main>
    </>
  );
}
