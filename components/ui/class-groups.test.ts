import { readdirSync, readFileSync } from "node:fs";
import { extendTailwindMerge } from "tailwind-merge";
import { expect, test } from "vitest";
import { groupOf } from "./class-groups.ts";
import { cn } from "./cn.ts";

const reference = extendTailwindMerge({
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

/** Every word of a string in the sources of pages that could be a utility, without its conditions. */
function utilities(): string[] {
  const words = ["app", "components"]
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|class-groups/.test(path))
        .map((path) => readFileSync(`${root}/${path}`, "utf8")),
    )
    .flatMap((source) => [...source.matchAll(/["'`]([^"'`\n]+)["'`]/g)])
    .flatMap(([, text = ""]) => text.split(/\s+/))
    .map((word) => word.replace(/^(?:[a-z0-9-]*(?:\[[^\]]*\])?(?:\/\w+)?:)+/, ""))
    .filter((word) => /^-?[a-z]/.test(word) && !/[{}=;]/.test(word));
  return [...new Set(words)];
}

/** Those of which tailwind-merge knows what they set: it drops the first of two that are the same. */
const isUtility = (word: string) => reference(`${word} ${word}`) === word;

/** One of each kind: those that look alike up to their value and stand in one group. */
const kindOf = (word: string) => `${groupOf(word)?.group} ${word.replace(/-?[^-]*$/, "")}`;

test("of two classes in the sources the same one is dropped as tailwind-merge drops", () => {
  const known = utilities().filter(isUtility);
  expect(known.length).toBeGreaterThan(400);
  const kinds = new Map(known.map((word) => [kindOf(word), word]));
  const pairs = [
    ...[...kinds.values()].flatMap((one) => [...kinds.values()].map((other) => [one, other])),
    ...known.map((word) => [word, kinds.get(kindOf(word))]),
    ...known.map((word) => [kinds.get(kindOf(word)), word]),
  ];
  const wrong = pairs
    .filter(([one, other]) => one !== other)
    .map((pair) => pair.join(" "))
    .filter((both) => cn(both) !== reference(both));
  expect(wrong).toEqual([]);
});

test("conditions are kept apart, however they are written", () => {
  for (const classes of [
    "px-3 max-sm:px-4 px-2 max-sm:hover:px-1",
    "[td&]:pt-2.5 pt-1 [td&]:pt-2",
    "before:content-[attr(data-label)] before:me-1.5 before:me-2",
    "[&_kbd]:text-inherit text-ink [&_kbd]:text-ink",
  ]) {
    expect(cn(classes)).toBe(reference(classes));
  }
});

test("words that are no utilities stay as they are", () => {
  expect(cn("link group", "peer/row link")).toBe("link group peer/row link");
});
