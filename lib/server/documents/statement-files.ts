import "server-only";
import { toJson } from "@turnpike/payments/protocol";
import type { StatementDocument } from "@/lib/domain/money/statements.ts";
import { csvLine, forSpreadsheets, sheetLine } from "@/lib/text/csv.ts";
import type { Download } from "./download.ts";
import { decimalOf } from "./money-text.ts";

/** Who reads the CSV: programs get ids unchanged, spreadsheets get them as text. */
export type StatementUse = "program" | "spreadsheet";

/** A statement in the format it was asked for. */
export function statementDownload(document: StatementDocument, use: StatementUse): Download {
  const { format, head } = document;
  const fileName = `statement-${head.month}.${format}`;
  if (format === "csv") {
    const chunks =
      use === "program" ? csvOf(document, csvLine) : forSpreadsheets(csvOf(document, sheetLine));
    return { contentType: "text/csv; charset=utf-8", fileName, chunks };
  }
  if (format === "pdf") {
    return { contentType: "application/pdf", fileName, chunks: pdfOf(document) };
  }
  return { contentType: "application/json", chunks: jsonOf(document) };
}

/** Loaded with the first one: its fonts take a while. */
async function* pdfOf(document: StatementDocument): AsyncGenerator<Uint8Array> {
  const { statementPdf } = await import("./statement-pdf.ts");
  yield* statementPdf(document);
}

async function* jsonOf({ head, parts }: StatementDocument): AsyncGenerator<string> {
  yield `${toJson(head).slice(0, -1)},"sections":[`;
  let before = "";
  for await (const part of parts()) {
    if (part.part === "section") {
      yield `${before}${toJson(part.section).slice(0, -1)},"entries":[`;
      before = "";
    } else if (part.part === "entry") {
      yield before + toJson(part.entry);
      before = ",";
    } else {
      yield `],"closing":${toJson(part.closing)}}`;
      before = ",";
    }
  }
  yield "]}";
}

const COLUMNS = [
  "month",
  "section",
  "currency",
  "planId",
  "planName",
  "at",
  "kind",
  "amount",
  "amountInSmallestUnits",
  "invoiceNumber",
  "orderId",
  "party",
  "partyName",
  "reference",
  "entryId",
] as const;

async function* csvOf(
  { head, parts }: StatementDocument,
  lineOf: typeof csvLine,
): AsyncGenerator<string> {
  const { month, from, to } = head;
  let named: Partial<Record<(typeof COLUMNS)[number], string>> = {};
  const line = (amount: string, more: Partial<Record<(typeof COLUMNS)[number], string | number>>) =>
    lineOf(
      COLUMNS.map((column) => {
        if (column === "month") return month;
        if (column === "amount") return { decimal: decimalOf(amount, named.currency ?? "") };
        if (column === "amountInSmallestUnits") return { decimal: amount };
        return more[column] ?? named[column];
      }),
    );
  yield lineOf(COLUMNS);
  for await (const part of parts()) {
    if (part.part === "section") {
      const { opening, ...section } = part.section;
      named = section;
      yield line(opening, { at: from, kind: "opening" });
    } else if (part.part === "entry") {
      const { amount, ...entry } = part.entry;
      yield line(amount, entry);
    } else yield line(part.closing, { at: to, kind: "closing" });
  }
}
