import type { Token, Tokens } from "marked";

/** One fenced code block: its language, and what its info string says. */
export type Fence = {
  language: string;
  /** What its file is called: `file=agent.mjs`, or `of=my-agent/server.mjs` for a part of one. */
  file?: string;
  /** What a terminal runs: `run`, or `serve` for what keeps running. */
  isCommand: boolean;
  /** An alternative of the block before: `tab`. */
  isTab: boolean;
  code: string;
};

/** A block of Markdown; fences that are alternatives of each other are one block. */
export type Fences = { type: "fences"; title: string; label: string; fences: Fence[] };
export type Block = Token | Fences;

const LABELS: Record<string, string> = {
  js: "JavaScript",
  ts: "TypeScript",
  python: "Python",
  sh: "Terminal",
  json: "JSON",
  http: "HTTP",
  env: "Environment",
};

export const languageLabel = (language: string): string => LABELS[language] ?? language;

/** Reads ` ```js file=agent.mjs tab `. */
export function readFence({ lang = "", text }: Pick<Tokens.Code, "lang" | "text">): Fence {
  const [language = "", ...words] = lang.split(/\s+/);
  const file = words.find((word) => /^(file|of)=/.test(word))?.replace(/^(file|of)=(.*\/)?/, "");
  return {
    language,
    ...(file && { file }),
    isCommand: words.includes("run") || words.includes("serve"),
    isTab: words.includes("tab"),
    code: text,
  };
}

/** The blocks of a text, with each alternative beside the block it belongs to. */
export function groupFences(tokens: readonly Token[]): Block[] {
  const blocks: Block[] = [];
  const titled = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === "space") continue;
    if (token.type !== "code") blocks.push(token);
    else {
      const fence = readFence(token as Tokens.Code);
      const last = blocks.at(-1);
      if (fence.isTab && last?.type === "fences") (last as Fences).fences.push(fence);
      else {
        const title = fence.file ?? languageLabel(fence.language);
        const n = (titled.get(title) ?? 0) + 1;
        titled.set(title, n);
        // Regions of one page need names of their own.
        const label = n === 1 ? title : `${title} ${n}`;
        blocks.push({ type: "fences", title, label, fences: [fence] });
      }
    }
  }
  return blocks.map((block) => (block.type === "fences" ? withTypeScript(block as Fences) : block));
}

/** JavaScript without a tab beside it is TypeScript as it is: a test compiles it. */
function withTypeScript(block: Fences): Fences {
  const [first, second] = block.fences;
  if (first?.language !== "js" || !first.file || second) return block;
  const file = first.file.replace(/\.m?js$/, ".ts");
  return { ...block, fences: [first, { ...first, language: "ts", file, isTab: true }] };
}
