/**
 * A fenced block of a document. Its info says what a reader does with it:
 * `js file=agent.mjs` writes it, `js run file=…` runs it too, `js serve file=…` starts it until the next server, and `pay`
 * beside it calls `POST /ask` without and with payment; `sh run` is typed into one terminal, `sh serve` into another, until
 * the end; `ts … tab` is the same in TypeScript; `excerpt` is part of something, of the file `of=…` where it is named.
 */
export type Block = {
  source: string;
  line: number;
  language: string;
  words: string[];
  file: string | undefined;
  of: string | undefined;
  code: string;
};

const FENCE = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm;
const RUNNABLE = ["js", "ts", "mjs", "javascript", "typescript", "sh", "bash", "python"];

/** The blocks of a document that readers run, and those that say nothing of how, which are defects. */
export function blocksOf(source: string, text: string): { blocks: Block[]; unmarked: Block[] } {
  const all = Array.from(text.matchAll(FENCE), ([, language = "", info = "", code = ""], index) => {
    const words = info.trim().split(/\s+/).filter(Boolean);
    const named = (key: string) =>
      words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
    return { source, line: index, language, words, file: named("file"), of: named("of"), code };
  }).filter(({ language }) => RUNNABLE.includes(language));
  const positions = [...text.matchAll(FENCE)].filter(([, language = ""]) =>
    RUNNABLE.includes(language),
  );
  const blocks = all.map((block, at) => ({
    ...block,
    line: text.slice(0, positions[at]?.index ?? 0).split("\n").length,
  }));
  const isMarked = ({ file, words }: Block) =>
    file !== undefined || ["run", "serve", "excerpt"].some((word) => words.includes(word));
  return { blocks, unmarked: blocks.filter((block) => !isMarked(block)) };
}
