import { lexer, type Token, type Tokens } from "marked";
import Link from "next/link";
import { Fragment, type ReactNode } from "react";
import { CodeBlock } from "../ui/data/code-block.tsx";
import { CodeTabs } from "../ui/data/code-tabs.tsx";
import { paintCode } from "../ui/data/paint-code.tsx";
import { Icon } from "../ui/icon.tsx";
import { type Fences, groupFences, languageLabel } from "./fences.ts";
import { anchorOf, pageOf } from "./headings.ts";
import { Picture } from "./picture.tsx";

/** A paper of this repository as elements. Comments are left out, raw HTML is an error, and no element has inline styles. */
export function Markdown({ text }: { text: string }) {
  return <div className="prose">{blocks(lexer(text))}</div>;
}

const blocks = (tokens: readonly Token[]): ReactNode =>
  groupFences(tokens).map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a fixed text keep their places.
    <Fragment key={index}>
      {block.type === "fences" ? (
        <FencesOf {...(block as Fences)} />
      ) : (
        <BlockOf token={block as Token} />
      )}
    </Fragment>
  ));

function BlockOf({ token }: { token: Token }) {
  switch (token.type) {
    case "heading":
      return <Heading token={token as Tokens.Heading} />;
    case "paragraph":
      return <Paragraph token={token as Tokens.Paragraph} />;
    case "list":
      return <List token={token as Tokens.List} />;
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "blockquote":
      return (
        <aside className="note">
          <Icon name="info" className="mt-1 size-4 text-ink-2" />
          <div>{blocks((token as Tokens.Blockquote).tokens)}</div>
        </aside>
      );
    case "text":
      return <>{inline((token as Tokens.Text).tokens ?? [token])}</>;
    case "html":
      if (token.raw.startsWith("<!--")) return null;
      throw new Error(`A guide can't contain HTML: ${token.raw.slice(0, 80)}`);
    default:
      throw new Error(`A guide can't contain ${token.type}: ${token.raw.slice(0, 80)}`);
  }
}

function Heading({ token: { depth, tokens, text } }: { token: Tokens.Heading }) {
  const id = anchorOf(text.replaceAll("`", ""));
  const Level = depth === 2 ? "h2" : "h3";
  return (
    <Level id={id}>
      <a href={`#${id}`}>{inline(tokens)}</a>
    </Level>
  );
}

function Paragraph({ token: { tokens } }: { token: Tokens.Paragraph }) {
  const [first] = tokens;
  if (tokens.length === 1 && first?.type === "image") {
    const { href, text } = first as Tokens.Image;
    return <Picture name={href.replace("picture:", "")} caption={text} />;
  }
  return <p>{inline(tokens)}</p>;
}

function List({ token: { ordered, items } }: { token: Tokens.List }) {
  const Kind = ordered ? "ol" : "ul";
  return (
    <Kind>
      {items.map((item) => (
        <li key={item.raw}>{blocks(item.tokens)}</li>
      ))}
    </Kind>
  );
}

function Table({ token: { header, rows } }: { token: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls.
    <section aria-label={header.map(({ text }) => text).join(", ")} tabIndex={0} className="table">
      <table>
        <thead>
          <tr>
            {header.map(({ text, tokens }) => (
              <th key={text} scope="col">
                {inline(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.map(({ text }) => text).join()}>
              {row.map(({ tokens }, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places.
                <td key={column}>{inline(tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FencesOf({ title, label, fences }: Fences) {
  const [first] = fences;
  if (!first) return null;
  if (fences.length === 1) {
    return (
      <CodeBlock
        title={<span className={first.file ? "font-mono text-mono" : undefined}>{title}</span>}
        copies={first.code}
        label={label}
      >
        <code>{first.language === "sh" ? first.code : paintCode(first.code)}</code>
      </CodeBlock>
    );
  }
  return (
    <CodeTabs
      label={label}
      samples={fences.map(({ language, code, file }) => ({
        language,
        label: languageLabel(language),
        code,
        ...(file && { file }),
      }))}
    />
  );
}

const inline = (tokens: readonly Token[]): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a fixed text keep their places.
    <Fragment key={index}>{word(token)}</Fragment>
  ));

function word(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens)}</em>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <GuideLink href={(token as Tokens.Link).href}>
          {inline((token as Tokens.Link).tokens)}
        </GuideLink>
      );
    case "text":
    case "escape":
      return (token as Tokens.Text).tokens
        ? inline((token as Tokens.Text).tokens as Token[])
        : (token as Tokens.Text).text;
    default:
      throw new Error(`A guide can't contain ${token.type}: ${token.raw}`);
  }
}

const FILE = /^\/(?:api\/|llms|\.well-known|discovery)/;

function GuideLink({ href, children }: { href: string; children: ReactNode }) {
  const page = pageOf(href);
  if (/^https?:/.test(page)) {
    return (
      <a href={page} rel="noreferrer" className="link">
        {children}
      </a>
    );
  }
  if (page.startsWith("#") || FILE.test(page)) {
    return (
      <a href={page} className="link">
        {children}
      </a>
    );
  }
  return (
    <Link href={page} prefetch={false} className="link">
      {children}
    </Link>
  );
}
