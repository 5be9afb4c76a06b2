import "server-only";
import type { StatementEntry } from "@turnpike/payments/protocol";
import type { StatementDocument, StatementPart } from "@/lib/domain/money/statements.ts";
import { isGranted, shownAmount } from "./money-text.ts";
import { openPdf, type Pdf, type PdfColumn } from "./pdf.ts";

const COLUMNS: PdfColumn[] = [
  { title: "Time (UTC)", width: 106 },
  { title: "Entry", width: 84 },
  { title: "Plan", width: 120 },
  { title: "Party", width: 100 },
  { title: "Invoice", width: 44 },
  { title: "Reference", width: 180 },
  { title: "Amount", width: 128, align: "right" },
];

type Section = Extract<StatementPart, { part: "section" }>["section"];

/** A statement as a PDF, page by page. */
export async function* statementPdf({
  head,
  parts,
}: StatementDocument): AsyncGenerator<Uint8Array> {
  const pdf = openPdf(`Statement ${head.month}`, { isWide: true });
  pdf.heading(`Statement ${head.month}`, 18);
  pdf.fact("Account", [head.accountName, head.account].filter(Boolean).join(", "));
  pdf.fact("Period", `${timeText(head.from)} to ${timeText(head.to)} UTC`);
  if (!head.isClosed) pdf.note("This month is not closed: its statement can still change.");
  let currency = "";
  for await (const part of parts()) {
    if (part.part === "section") {
      currency = part.section.currency;
      pdf.heading(sectionTitle(part.section));
      pdf.columns(COLUMNS);
      pdf.row(sumRow(head.from, "Opening", shownAmount(part.section.opening, currency)), true);
    } else if (part.part === "entry") {
      pdf.row(entryRow(part.entry, pdf));
    } else {
      pdf.row(sumRow(head.to, "Closing", shownAmount(part.closing, currency)), true);
    }
    yield* await pdf.ready();
  }
  yield* await pdf.end();
}

function sectionTitle({ section, currency, planName = "", planId = "" }: Section): string {
  if (section === "balance") return `Balance in ${currency.toUpperCase()}`;
  if (section === "card-payments") return `Paid by card in ${currency.toUpperCase()}, in all`;
  const plan = `${planName} (plan ${planId})`;
  const isSold = section === "credits-sold";
  if (currency === "passes") {
    return isSold ? `Time passes that subscribers hold of ${plan}` : `Time pass of ${plan}`;
  }
  return isSold ? `Credits that subscribers hold of ${plan}` : `Credits of ${plan}`;
}

/** `0x5aAe…eAed`: CSV and JSON have all of it. */
const shortened = (party = ""): string =>
  party.length > 20 ? `${party.slice(0, 6)}…${party.slice(-4)}` : party;

const timeText = (at: string): string => at.slice(0, 19).replace("T", " ");

const sumRow = (at: string, kind: string, amount: string): string[] => [
  timeText(at),
  kind,
  "",
  "",
  "",
  "",
  amount,
];

const entryRow = (entry: StatementEntry, { hasLettersOf }: Pick<Pdf, "hasLettersOf">): string[] => [
  timeText(entry.at),
  entry.kind,
  // The heading of credits and passes names their plan.
  isGranted(entry.currency) ? "" : (entry.planName ?? ""),
  [
    // A name that can't be read in full has its address beside it.
    (!entry.partyName || !hasLettersOf(entry.partyName)) && shortened(entry.party),
    entry.partyName,
  ]
    .filter(Boolean)
    .join(" "),
  entry.invoiceNumber?.toString() ?? "",
  entry.reference ?? entry.orderId ?? "",
  shownAmount(entry.amount, entry.currency),
];
