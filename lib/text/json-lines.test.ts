import { expect, test } from "vitest";
import { readJsonLines } from "./json-lines.ts";

function streamOf(parts: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const bytes = parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part));
  return new ReadableStream({
    start(controller) {
      for (const chunk of bytes) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function idsOf(parts: (string | Uint8Array)[]): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of readJsonLines<{ id: string }>(streamOf(parts))) ids.push(id);
  return ids;
}

test("lines are read one by one, however they are split", async () => {
  expect(await idsOf(['{"id":"a"}\n{"i', 'd":"b"}\n', '{"id":"c"}\n'])).toEqual(["a", "b", "c"]);
});

test("a last line without a line break is read too", async () => {
  expect(await idsOf(['{"id":"a"}\n{"id":"b"}'])).toEqual(["a", "b"]);
});

test("a character split in two arrives whole", async () => {
  const bytes = new TextEncoder().encode('{"id":"€"}\n');
  expect(await idsOf([bytes.slice(0, 8), bytes.slice(8)])).toEqual(["€"]);
});

test("a line that was cut off is an error, not a missing line", async () => {
  await expect(idsOf(['{"id":"a"}\n{"id":'])).rejects.toThrow(SyntaxError);
});
