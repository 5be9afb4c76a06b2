import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Payments } from "@turnpike/payments";
import { transform } from "esbuild";
import type { Block } from "./markdown.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** Where the examples of documents call to; a sandbox of a proof has another port. */
const PRINTED_URL = "http://localhost:3000";

export type Reader = {
  folder: string;
  url: string;
  port: number;
  apiKey: string;
  env: Record<string, string>;
};

/** Follows a document as its reader would, block by block. Returns how many blocks ran; throws at the first that fails. */
export async function runDocument(blocks: readonly Block[], reader: Reader): Promise<number> {
  await mkdir(reader.folder, { recursive: true });
  const terminal = openTerminal(reader.folder, reader.env);
  let count = 0;
  try {
    for (const block of blocks) {
      const code = block.code
        .replaceAll(PRINTED_URL, reader.url)
        .replace("create-turnpike-agent.tgz my-agent", `$& --port ${reader.port}`);
      await runBlock({ ...block, code }, reader, terminal).catch((cause: Error) => {
        throw new Error(`${block.source}:${block.line} ${cause.message}`, { cause });
      });
      if (!block.words.includes("excerpt") || block.of) count += 1;
    }
  } finally {
    await terminal.stop(reader.port);
  }
  return count;
}

async function runBlock(block: Block, reader: Reader, terminal: Terminal): Promise<void> {
  const { language, words, file, of, code } = block;
  const has = (word: string) => words.includes(word);
  if (has("excerpt")) {
    if (of) await requirePart(join(reader.folder, of), code);
    return;
  }
  if (has("tab")) {
    await transform(code, { loader: "ts" });
    return;
  }
  if (file) {
    const path = join(terminal.folder(), file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
  }
  const command = file ? `node ${file}` : code;
  if (language === "python") await terminal.run(`${reader.env.PYTHON} -m py_compile ${file}`);
  else if (has("serve")) {
    await terminal.stop(reader.port);
    await terminal.serve(command, reader.port);
    if (has("pay")) await payServer(reader);
  } else if (has("run")) await terminal.run(command);
  else if (file) await terminal.run(`node --check ${file}`);
}

async function requirePart(path: string, code: string): Promise<void> {
  const text = await readFile(path, "utf8");
  if (!text.includes(code.trim())) throw new Error(`is not part of ${path}`);
}

/** What an example of a server promises: 402 without payment, nothing under another method, an answer and a receipt with it. */
export async function payServer({ port, url, apiKey }: Reader): Promise<void> {
  const agent = `http://localhost:${port}/ask`;
  const { status } = await fetch(agent, { method: "POST" });
  if (status !== 402) throw new Error(`answered ${status} without payment`);
  const free = await fetch(agent, { method: "PUT" });
  if (free.ok) throw new Error("worked without payment under another method");
  const payments = Payments.getInstance({ apiKey, baseUrl: url });
  const { response, receipt } = await payments.fetch(
    agent,
    { method: "POST" },
    { maxCredits: 10n },
  );
  if (!response.ok || !receipt?.success) {
    throw new Error(`answered ${response.status} with payment: ${await response.text()}`);
  }
}
