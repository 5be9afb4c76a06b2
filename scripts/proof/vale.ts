import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryFiles } from "../house/files.ts";
import { VOICE_RULES } from "../house/voice.ts";

/**
 * Vale over every document, by its own rules and by those of the voice page. It is a Go program that npm has no copy of:
 * the one of `VALE`, or on the path. The row `spelling` checks the words, with our names.
 */
const VALE = process.env.VALE ?? "vale";
const INI = `StylesPath = styles
MinAlertLevel = suggestion
[*.md]
BasedOnStyles = Vale, Voice
Vale.Spelling = NO
`;

type Alert = { Line: number; Check: string; Match: string; Message: string };

/** The rules as a style of Vale's: one file each. */
function writeStyle(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [index, { avoid, say }] of VOICE_RULES.filter(isText).entries()) {
    const rule = {
      extends: "existence",
      message: `“%s” is not a phrase of ours. Say: ${say}.`,
      level: "error",
      ignorecase: avoid.flags.includes("i"),
      nonword: true,
      raw: [avoid.source],
    };
    // JSON is YAML.
    writeFileSync(join(folder, `Rule${index}.yml`), JSON.stringify(rule));
  }
}

const isText = ({ where }: (typeof VOICE_RULES)[number]) => where === "text";

/** Vale ends with 1 where it found something. */
function check(config: string, paths: string[]): Record<string, Alert[]> {
  const args = ["--config", config, "--output=JSON", ...paths];
  const { status, stdout, stderr, error } = spawnSync(VALE, args, { encoding: "utf8" });
  if (error || (status !== 0 && status !== 1)) {
    throw new Error(`Vale did not run. Install it, or set VALE to its path.\n${error ?? stderr}`);
  }
  return JSON.parse(stdout) as Record<string, Alert[]>;
}

const folder = mkdtempSync(join(tmpdir(), "turnpike-vale-"));
try {
  const config = join(folder, ".vale.ini");
  writeFileSync(config, INI);
  writeStyle(join(folder, "styles", "Voice"));
  // A document with one fault of each style: what finds nothing there checks nothing.
  const faulty = join(folder, "faulty.md");
  writeFileSync(faulty, "Nobody pays. It comes back\nby itself, at at once.\n");
  const known = new Set((check(config, [faulty])[faulty] ?? []).map((one) => one.Check));
  if (![...known].some((name) => name.startsWith("Voice.")) || !known.has("Vale.Repetition")) {
    throw new Error(`Vale does not find planted faults, only ${[...known].join(", ")}.`);
  }
  const documents = repositoryFiles().filter((path) => path.endsWith(".md"));
  const found = Object.entries(check(config, documents)).flatMap(([path, alerts]) =>
    alerts.map(({ Line, Message, Check }) => `${path}:${Line} ${Message} (${Check})`),
  );
  for (const line of found) console.log(line);
  console.log(`vale: ${documents.length} documents, ${found.length} findings`);
  process.exitCode = found.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
