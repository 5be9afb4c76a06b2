"use client";

import { useSelectedLayoutSegment } from "next/navigation";
import { type ErrorPageProps, PageFailed } from "@/components/page-failed.tsx";

/** What the tabs show below their heading. */
const TABS: Record<string, { title?: string; what: string }> = {
  disputes: { title: "Disputes", what: "Disputes" },
  payouts: { what: "Your payouts" },
  refunds: { title: "Refunds", what: "Refunds" },
  statements: { what: "Your statements" },
  withdraw: { what: "Your addresses" },
};

export default function BalanceError(props: ErrorPageProps) {
  const tab = TABS[useSelectedLayoutSegment() ?? ""] ?? { what: "Your balance" };
  return <PageFailed {...tab} {...props} />;
}
