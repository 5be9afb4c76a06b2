import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ERRORS, operations } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { pageOf } from "../components/docs/headings.ts";
import { pageRoutes } from "../e2e/support/routes.ts";
import { PAPERS, withTables } from "../scripts/operations-table.ts";
import { withFigures } from "../scripts/proof/reliability-table.ts";
import { sandbox } from "./sandbox/operations.ts";
import { readGuides, readPaper } from "./server/guides.ts";

const read = (path: string) => readFileSync(path, "utf8");
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));

const papers = [
  ...readdirSync("."),
  ...filesOf("docs"),
  ...readdirSync("lib/sdk").map((name) => join("lib/sdk", name)),
]
  .filter((path) => path.endsWith(".md"))
  .sort();

/** Scripts of the projects that `create-turnpike-agent` writes. */
const OF_PROJECTS = ["pay"];

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, "");

/** Paths of ours named in backticks; patterns such as `lib/adapters/<name>` stand for many. */
function pathsIn(text: string): string[] {
  const named = Array.from(
    withoutCode(text).matchAll(/`([^`\s]+)`/g),
    ([, path]) => path as string,
  );
  return named.filter((path) => {
    const [top = "", ...rest] = path.split("/");
    // What a command writes is there only after it.
    if (top === "dist") return false;
    return rest.length > 0 && top !== "" && existsSync(top) && !/[<*…]/.test(path);
  });
}

/** Where the links of a paper lead, without those to other hosts. */
const linksIn = (text: string): string[] =>
  Array.from(
    withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g),
    ([, target]) => target as string,
  ).filter((target) => !/^[a-z]+:/.test(target));

const routes = new Set([...pageRoutes(), "/api/v1/openapi.json"]);
const named: Record<string, (name: string) => boolean> = {
  "/docs/api/": (name) => name in operations || name in sandbox,
  "/docs/errors/": (name) => name in ERRORS,
  "/docs/": (name) => existsSync(`docs/guides/${name}.md`),
};

/** Whether the product serves this page, such as `/docs/api/getPlan`. */
function isPage(path: string): boolean {
  if (routes.has(path) || existsSync(join("public", path))) return true;
  const [folder = "", isNamed] =
    Object.entries(named).find(([start]) => path.startsWith(start)) ?? [];
  return isNamed?.(path.slice(folder.length)) ?? false;
}

/** The anchors of a paper's headings, as forges make them. */
const anchorsIn = (text: string): string[] =>
  Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

/** A paper without the spaces that line its tables up. */
const unpadded = (text: string) => text.replace(/^\|.*/gm, (row) => row.replace(/ {2,}/g, " "));

/** The settings' names, as `env.ts` declares them. */
const settings = Array.from(
  read("lib/server/env.ts").matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm),
  ([, name]) => name as string,
);

describe.each(papers)("%s", (paper) => {
  const text = read(paper);

  test("names only paths that are there", () => {
    expect(pathsIn(text).filter((path) => !existsSync(path))).toEqual([]);
  });

  test("links to what is there", () => {
    const broken = linksIn(text).filter((target) => {
      const [path = "", anchor] = target.split("#");
      if (path.startsWith("/")) return !isPage(path);
      const file = path ? join(dirname(paper), path) : paper;
      return !existsSync(file) || (anchor && !anchorsIn(read(file)).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  test("names only commands that are there", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = Array.from(text.matchAll(/npm run ([\w:-]+)/g), ([, name]) => name as string);
    const missing = named.filter((name) => {
      const file = /([\w/.-]+\.(?:ts|mjs))\s*$/.exec(scripts[name] ?? "")?.[1];
      if (OF_PROJECTS.includes(name)) return false;
      return !(name in scripts) || (file !== undefined && !existsSync(file));
    });
    expect(missing).toEqual([]);
  });
});

test("guides, whose pages have no other papers beside them, link to pages alone", () => {
  const broken = readGuides().flatMap(({ slug, text }) =>
    linksIn(text)
      .map((target) => pageOf(target).split("#")[0] ?? "")
      .filter((path) => path !== "" && path !== "/docs/protocol" && !isPage(path))
      .map((path) => `${slug}: ${path}`),
  );
  expect(broken).toEqual([]);
});

test("the papers are found, and so is what they name", () => {
  expect(papers).toEqual(
    expect.arrayContaining(["AGENTS.md", "README.md", "docs/protocol.md", "lib/sdk/README.md"]),
  );
  expect(papers.flatMap((paper) => pathsIn(read(paper))).length).toBeGreaterThan(60);
  expect(papers.flatMap((paper) => linksIn(read(paper))).length).toBeGreaterThan(20);
});

test("every decision has a number that no other one has, and is listed under it", () => {
  const decisions = readdirSync("docs/adr").filter((name) => name !== "README.md");
  const listed = Array.from(
    read("docs/adr/README.md").matchAll(/^- \[(\d{4})\]\((\1-\S+)\)/gm),
    ([, , name]) => name as string,
  );
  expect(listed).toEqual(decisions.sort());
  expect(new Set(decisions.map((name) => name.slice(0, 4))).size).toBe(decisions.length);
  for (const name of decisions) {
    expect(read(`docs/adr/${name}`), name).toMatch(
      new RegExp(`^# ${Number(name.slice(0, 4))}\\. `),
    );
  }
});

describe("docs/protocol.md", () => {
  const protocol = unpadded(read("docs/protocol.md"));

  test.each(PAPERS)("%s has its tables as the rows are now", (paper) => {
    expect(read(paper)).toBe(withTables(paper));
  });

  test("has every error code with its status", () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      const line = protocol
        .split("\n")
        .find((text) => new RegExp(`^\\| .*\`${code}\`.* \\| (\\d+|–) \\|`).test(text));
      expect(line, code).toContain(`| ${status === 0 ? "–" : status} |`);
    }
  });
});

test("a guide that starts with a Full key says which one an agent gets in production", () => {
  const project = "lib/create-turnpike-agent/templates/shared/README.md";
  const asking = papers.filter((paper) => readPaper(paper).includes("the preset **Full**"));
  expect(asking.length).toBeGreaterThan(5);
  for (const paper of [...asking, project]) {
    expect(readPaper(paper), paper).toMatch(/In production use a key with the preset (\*\*)?Gate/);
  }
});

test("a guide whose commands read TURNPIKE_URL says how to set it first", () => {
  const guides = readGuides().filter(({ text }) => text.includes('"$TURNPIKE_URL'));
  expect(guides.length).toBeGreaterThan(8);
  for (const { slug, text } of guides.filter(({ slug }) => slug !== "troubleshooting")) {
    expect(text.split('"$TURNPIKE_URL')[0], slug).toContain("export TURNPIKE_URL=http");
  }
});

test("papers never fetch our packages' names from a registry", () => {
  const named = papers.filter((paper) =>
    /(npx|npm (create|install|i)) (--yes )?(@turnpike|create-turnpike|turnpike)/.test(read(paper)),
  );
  expect(named.filter((paper) => !paper.endsWith("CHANGELOG.md"))).toEqual([]);
});

test("docs/operations.md lists every invariant of the ledger, and no other", () => {
  const functions = filesOf("lib/adapters/db/functions").filter((path) => path.endsWith(".sql"));
  const views = functions.flatMap(
    (path) => read(path).match(/(?<=create or replace view )inv_\w+/g) ?? [],
  );
  const [, table = ""] = read("docs/operations.md").split("\n| View | Lists |\n");
  const listed = table.split("\n\n")[0]?.match(/inv_\w+/g) ?? [];
  expect(listed.sort()).toEqual(views.sort());
});

test("docs/operations.md lists every rule that is checked all the time", () => {
  const checked = read("lib/adapters/db/functions/recent-rules.sql").match(/(?<=')inv_\w+(?=')/g);
  expect(checked?.length).toBeGreaterThan(10);
  const text = read("docs/operations.md");
  expect(checked?.filter((rule) => !text.includes(`\`${rule}\``))).toEqual([]);
});

test("docs/reliability.md has the figures that rows printed last", () => {
  const text = read("docs/reliability.md");
  expect(unpadded(text)).toBe(unpadded(withFigures(text)));
});

describe("settings", () => {
  test("are found", () => expect(settings).toContain("DATABASE_URL"));

  test.each(settings)(
    "%s is in .env.example and docs/operations.md, with a word of why",
    (name) => {
      expect(unpadded(read("docs/operations.md"))).toMatch(
        new RegExp(`^\\| \`${name}\` \\|[^|]+\\|[^|]+\\|`, "m"),
      );
      expect(read(".env.example")).toMatch(new RegExp(`^# .+\\n${name}=`, "m"));
    },
  );

  test("name none that the service does not read", () => {
    const given = Array.from(read(".env.example").matchAll(/^([A-Z_]+)=/gm), ([, name]) => name);
    expect(given.sort()).toEqual([...settings].sort());
  });
});
