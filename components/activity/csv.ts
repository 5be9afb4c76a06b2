/** Spreadsheets run a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

export type CsvCell = string | number | undefined;

/** A line of RFC 4180. A text that a spreadsheet would run gets an apostrophe before it. */
export const csvLine = (cells: readonly CsvCell[]): string =>
  `${cells.map(cellText).join(",")}\r\n`;

function cellText(cell: CsvCell): string {
  if (cell === undefined) return "";
  const text = String(cell);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;\t']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const encoder = new TextEncoder();

/** Lines as the body of a download, produced as fast as the client reads. */
export function csvStream(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
}

/** A download that is never cached. */
export const csvResponse = (body: ReadableStream<Uint8Array>, fileName: string): Response =>
  new Response(body, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store, private",
    },
  });
