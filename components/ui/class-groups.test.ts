import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "@tailwindcss/node";
import { extendTailwindMerge } from "tailwind-merge";
import { expect, test } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";
import { cn } from "./cn.ts";

/** tailwind-merge with its whole configuration and the names of our own scales. */
const mergeFully = extendTailwindMerge({
  cacheSize: 0,
  extend: {
    theme: {
      text: [
        ...["display", "h1", "h2", "h3", "body", "label", "note", "small"],
        ...["figure", "mono", "tick"],
      ],
      radius: ["tag", "control", "card", "dialog"],
      shadow: ["dialog"],
      animate: ["spin", "appear", "fade", "rise", "slide"],
    },
  },
});

const ROOT = join(import.meta.dirname, "../..");
const LITERAL = /"([^"\n]*)"|`([^`]*)`/g;

/** Every word of every string in the sources, as Tailwind finds its classes. */
function wordsInSources(): string[] {
  const found = new Set<string>();
  for (const folder of ["app", "components"]) {
    for (const path of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(path) || /\.test\.|class-groups|\bcn\.ts$/.test(path)) continue;
      const source = readFileSync(join(ROOT, folder, path), "utf8");
      for (const [, quoted, template = ""] of source.matchAll(LITERAL)) {
        const text = quoted ?? template.replace(/\$\{[^}]*\}/g, " ");
        for (const word of text.split(/\s+/)) if (word !== "") found.add(word);
      }
    }
  }
  return [...found];
}

const WORDS = wordsInSources();
const isKnownTo = (merge: (classes: string) => string, word: string) =>
  merge(`${word} ${word}`) === word;
const CLASSES = WORDS.filter((word) => isKnownTo(mergeFully, word));
/** Without variants, which say nothing about the property. */
const withoutVariants = (name: string) =>
  name.replace(/^(?:[^:[\]()]*(?:\[[^\]]*\]|\([^)]*\))?[^:[\]()]*:)+/, "");
const BASES = [...new Set(CLASSES.map(withoutVariants))];

test("knows every class that is used", () => {
  expect(BASES.length).toBeGreaterThan(500);
  expect(CLASSES.filter((name) => !isKnownTo(cn, name))).toEqual([]);
});

test("takes no class of our own for Tailwind's", () => {
  const css = readFileSync(join(ROOT, "app/globals.css"), "utf8");
  const own = [...css.matchAll(/^(?:@utility |\.)([\w-]+)/gm)].map(([, name = ""]) => name);
  expect(own).toContain("link-quiet");
  expect(own.filter((name) => isKnownTo(cn, name))).toEqual([]);
});

test("every class that is used has a rule: our theme has fewer colors than Tailwind’s own", async () => {
  const base = join(ROOT, "app");
  const css = readFileSync(join(base, "globals.css"), "utf8");
  const { build } = await compile(css, { base, onDependency: () => undefined });
  const selectors = build(BASES).matchAll(/\.((?:\\.|[\w-])+)/g);
  const ruled = new Set(Array.from(selectors, ([, name = ""]) => name.replaceAll("\\", "")));
  expect(BASES.filter((name) => !ruled.has(name))).toEqual([]);
});

longTest("merges every two classes as the whole configuration does", () => {
  const differing: string[] = [];
  for (const first of BASES) {
    for (const second of BASES) {
      const pair = `${first} ${second}`;
      if (cn(pair) !== mergeFully(pair)) differing.push(pair);
    }
  }
  expect(differing).toEqual([]);
});
