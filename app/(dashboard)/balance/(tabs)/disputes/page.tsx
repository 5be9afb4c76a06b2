import { read } from "@/app/_session/operations.ts";
import { DisputeTable } from "@/components/disputes/dispute-table.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";

export const metadata = { title: "Disputes" };

export default async function DisputesPage() {
  const { items } = await read("listDisputes", { limit: 100 });
  return (
    <>
      <h2 className="sr-only">Disputes</h2>
      <p className="mb-4 text-ink-2">
        Payments reversed by the cardholder’s bank. If you don’t respond in time, you lose the
        dispute.
      </p>
      <DisputeTable
        disputes={items}
        empty={
          <NothingYet title="No disputes" action="See your customers" href="/customers">
            A dispute appears here with its deadline and the evidence for the bank.
          </NothingYet>
        }
      />
    </>
  );
}
