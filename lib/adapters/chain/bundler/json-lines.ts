import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";

/**
 * Opens a file of one JSON value per line, creating it if needed; what `append` has written survives a kill. A last line cut
 * short by a crash was never acknowledged and is dropped.
 */
export function openJsonLines(path: string) {
  let file = openWhole(path);
  return {
    append: (value: unknown) => void writeSync(file, `${JSON.stringify(value)}\n`),
    /** Throws where a line cannot be read, unless there is a `skip`, which gets it. */
    read: (skip?: (line: string) => void): unknown[] =>
      readFileSync(path, "utf8")
        .split("\n")
        .flatMap((line) => (line === "" ? [] : parseLine(line, skip))),
    /** Replaces the content, atomically. */
    rewrite(values: unknown[]): void {
      const lines = values.map((value) => `${JSON.stringify(value)}\n`).join("");
      writeFileSync(`${path}.new`, lines, { mode: 0o600 });
      const written = openSync(`${path}.new`, "r");
      fsyncSync(written);
      closeSync(written);
      closeSync(file);
      renameSync(`${path}.new`, path);
      file = openSync(path, "a");
    },
    close: () => closeSync(file),
  };
}

function parseLine(line: string, skip: ((line: string) => void) | undefined): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch (cause) {
    if (!skip) throw cause;
    skip(line);
    return [];
  }
}

function openWhole(path: string): number {
  if (existsSync(path)) {
    const content = readFileSync(path);
    const end = content.lastIndexOf(0x0a) + 1;
    if (end < content.length) {
      const file = openSync(path, "r+");
      ftruncateSync(file, end);
      closeSync(file);
    }
  }
  return openSync(path, "a", 0o600);
}
