import { read } from "@/app/_session/operations.ts";
import { StatementTable } from "@/components/balance/statement-table.tsx";

export const metadata = { title: "Statements" };

export default async function StatementsPage() {
  const { items } = await read("listStatements", {});
  return (
    <>
      <h2 className="sr-only">Statements</h2>
      <p className="mb-4 max-w-[68ch] text-ink-2">
        Every sale, refund, payout, transfer and credit in a month, per currency. A month begins and
        ends at midnight UTC.
      </p>
      <StatementTable
        rows={items}
        {...(items.some(({ isClosed }) => !isClosed) && {
          foot: "The statement of an open month can still change.",
        })}
      />
    </>
  );
}
