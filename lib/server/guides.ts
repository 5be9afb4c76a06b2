import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";

/** A guide of `docs/guides`, or the protocol: its front matter and its Markdown. */
export type Guide = {
  /** Its address below `/docs`, and its file's name. */
  slug: string;
  title: string;
  /** One sentence, for lists and search engines. */
  summary: string;
  section: string;
  text: string;
};

// From the working folder, which is the repository's: a bundler moves this module, not the papers.
const FOLDER = "docs/guides";
const PROTOCOL = "docs/protocol.md";
const ERRORS = "docs/errors.md";
/** A paragraph that is a link to a part stands for its text, and leads a reader of the file there. */
const PART = /^\[[^\]]*\]\(parts\/([\w-]+)\.md\)$/gm;
/** Where the guides' examples call to. */
const PRINTED_ORIGIN = "http://localhost:3000";
/** As the sidebar has them. */
const SECTIONS = ["Start", "Sell", "Buy", "Operate", "Help", "Reference"];

let guides: Guide[] | undefined;
let errors: ReadonlyMap<string, string> | undefined;

/** Every guide, in the order of the sidebar. Read once per process. */
export function readGuides(): readonly Guide[] {
  guides ??= readdirSync(resolve(FOLDER))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${FOLDER}/${name}`)
    .concat(PROTOCOL)
    .map((path) => readGuide(basename(path, ".md"), readPaper(path)))
    .toSorted((one, other) => placeOf(one) - placeOf(other) || one.order - other.order)
    .map(({ order: _, ...guide }) => guide);
  return guides;
}

/** A guide as a page of this service shows it. */
export function findGuide(slug: string, origin: string): Guide | undefined {
  const guide = readGuides().find((one) => one.slug === slug);
  return guide && { ...guide, text: guide.text.replaceAll(PRINTED_ORIGIN, origin) };
}

/** A paper with the parts that guides share; `STACK` in them is the quickstart's. */
export function readPaper(path: string): string {
  const stack = basename(path, ".md").replace(/^quickstart-/, "");
  return readFileSync(resolve(path), "utf8").replace(PART, (_link, name) =>
    readFileSync(resolve(FOLDER, `parts/${name}.md`), "utf8")
      .trim()
      .replaceAll("STACK", stack),
  );
}

const placeOf = ({ section }: Guide) => SECTIONS.indexOf(section);

function readGuide(slug: string, file: string): Guide & { order: number } {
  const [, head = "", text = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? [];
  const facts = new Map(
    Array.from(head.matchAll(/^(\w+): *"?(.*?)"?$/gm), ([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  const [title, summary, section, order] = ["title", "summary", "section", "order"].map((name) =>
    facts.get(name),
  );
  if (!title || !summary || !order) {
    throw new Error(`${FOLDER}/${slug}.md needs a title, summary and order at its top.`);
  }
  const known = section ?? (slug.startsWith("quickstart") ? "Start" : "");
  if (!SECTIONS.includes(known)) {
    throw new Error(`${FOLDER}/${slug}.md needs a section: ${SECTIONS.join(", ")}.`);
  }
  return { slug, title, summary, section: known, order: Number(order), text };
}

/** What `docs/errors.md` says of each error code, as Markdown. */
export function readErrorTexts(): ReadonlyMap<string, string> {
  errors ??= new Map(
    readFileSync(resolve(ERRORS), "utf8")
      .split(/^## /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        return [part.slice(0, end).replaceAll("`", "").trim(), part.slice(end + 1).trim()];
      }),
  );
  return errors;
}
