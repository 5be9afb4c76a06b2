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
import { GroundExamples } from "./ground-examples.tsx";
import { NavigationExamples } from "./navigation-examples.tsx";
import { PlanExamples } from "./plan-examples.tsx";
import { StateExamples } from "./state-examples.tsx";
import { TableExamples } from "./table-examples.tsx";
import { TimeExamples } from "./time-examples.tsx";
import { ValueExamples } from "./value-examples.tsx";

export const metadata: Metadata = { title: "Components", robots: { index: false } };

/** Every component in its states, with example data. Not served in live. */
export default async function ComponentsPage() {
  const { env } = await getRunning();
  if (env.environment === "live") notFound();
  return (
    <>
      <SiteHeader />
      <main id="main" tabIndex={-1} className="wrap w-full pt-6 pb-16 outline-none">
        <PageHeader title="Components">
          Every component in every state. Values from the machine are in mono. Colour means a state
          or a payment status. All data on this page is made up.
        </PageHeader>
        <GroundExamples />
        <ButtonExamples />
        <FieldExamples />
        <ValueExamples />
        <TimeExamples />
        <TableExamples />
        <ChartExamples />
        <CodeExamples />
        <PlanExamples />
        <NavigationExamples />
        <DialogExamples />
        <StateExamples />
      </main>
    </>
  );
}
