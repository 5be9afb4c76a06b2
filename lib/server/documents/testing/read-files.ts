import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";

/** The lines of a CSV file (RFC 4180), as objects under the names of the first line. */
export function readCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[""]];
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    const row = rows.at(-1) ?? [];
    if (isQuoted && letter === '"' && text[index + 1] === '"') {
      row.push(`${row.pop()}"`);
      index += 1;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && letter === ",") row.push("");
    else if (!isQuoted && letter === "\r" && text[index + 1] === "\n") {
      rows.push([""]);
      index += 1;
    } else row.push(`${row.pop()}${letter}`);
  }
  const [names = [], ...lines] = rows.slice(0, -1);
  return lines.map((line) => Object.fromEntries(names.map((name, at) => [name, line[at] ?? ""])));
}

export async function readPdf(bytes: Uint8Array): Promise<string[][]> {
  const pdf = await getDocument({ data: bytes, verbosity: 0, isEvalSupported: false }).promise;
  const pages: string[][] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    pages.push(items.flatMap((item) => ("str" in item && item.str.trim() ? [item.str] : [])));
  }
  await pdf.destroy();
  return pages;
}
