import { lexer, type Token, type Tokens } from "marked";

/** A heading's place on its page, as forges make it, so that links between papers work in both. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** The page behind a link of a paper: `selling.md#price` is `/docs/selling#price`. */
export const pageOf = (href: string): string =>
  href
    .replace(/^(?:\.\.\/errors\.md#?|errors\.md#(?=[a-z]+_))/, "/docs/errors/")
    .replace(/^([\w-]+)\.md/, "/docs/$1")
    .replace(/\/$/, "");

export type Part = { title: string; anchor: string; words: string };

/** The parts of a guide, as its table of contents lists and the search finds them. */
export function partsOf(markdown: string): Part[] {
  const parts: Part[] = [];
  for (const token of lexer(markdown)) {
    if (token.type === "heading" && (token as Tokens.Heading).depth === 2) {
      const title = wordsOf(token);
      parts.push({ title, anchor: anchorOf(title), words: "" });
    } else {
      const last = parts.at(-1);
      if (last) last.words = `${last.words} ${wordsOf(token)}`.trim();
    }
  }
  return parts;
}

/** What a token says, without its marks and without code blocks. */
function wordsOf(token: Token): string {
  if (token.type === "code" || token.type === "space") return "";
  const inner = innerOf(token);
  if (inner.length > 0)
    return inner
      .map(wordsOf)
      .join(token.type === "heading" ? "" : " ")
      .trim();
  return "text" in token ? String(token.text) : "";
}

function innerOf(token: Token): Token[] {
  if (token.type === "list") return (token as Tokens.List).items;
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [...header, ...rows.flat()].flatMap(({ tokens }) => tokens);
  }
  return "tokens" in token ? (token.tokens ?? []) : [];
}
