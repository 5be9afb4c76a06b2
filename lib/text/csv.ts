/** Spreadsheets run a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A `decimal` is a number written out, which may begin with a minus. */
export type CsvCell = string | number | { decimal: string } | undefined;

/** A line of RFC 4180. A text that a spreadsheet would run gets an apostrophe before it. */
export const csvLine = (cells: readonly CsvCell[]): string =>
  `${cells.map(cellText).join(",")}\r\n`;

/** Spreadsheets keep 15 digits of a number: of a longer id, the others would be zeros. */
const LONG_NUMBER = /^\d{16,}$/;

/** The same line for a spreadsheet, which gets a long number as a text: with an apostrophe, as other texts. */
export const sheetLine = (cells: readonly CsvCell[]): string =>
  csvLine(
    cells.map((cell) => (typeof cell === "string" && LONG_NUMBER.test(cell) ? `'${cell}` : cell)),
  );

/** A file of such lines, with the mark by which spreadsheets know UTF-8. */
export async function* forSpreadsheets(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield "\uFEFF";
  yield* lines;
}

function cellText(cell: CsvCell): string {
  if (cell === undefined) return "";
  if (typeof cell === "object" && /^-?\d+(\.\d+)?$/.test(cell.decimal)) return cell.decimal;
  const text = String(typeof cell === "object" ? cell.decimal : cell);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;\t']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
