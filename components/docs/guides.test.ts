import { expect, test } from "vitest";
import { findGuide, readGuides } from "@/lib/server/guides.ts";
import { groupFences, readFence } from "./fences.ts";
import { anchorOf, pageOf, partsOf } from "./headings.ts";
import { type Findable, findIn } from "./search-index.ts";

const guides = readGuides();

test("guides are in the order of the sidebar", () => {
  const sections = [...new Set(guides.map(({ section }) => section))];
  expect(sections).toEqual(["Start", "Sell", "Buy", "Operate", "Help", "Reference"]);
  expect(guides[0]?.slug).toBe("concepts");
});

test("the protocol is among them", () => {
  expect(findGuide("protocol", "")?.text).toContain("## 14. Events");
});

test.each(guides)(
  "$slug has parts, and a summary that fits a search result",
  ({ text, summary }) => {
    expect(partsOf(text).length).toBeGreaterThan(1);
    expect(summary.length).toBeGreaterThan(20);
    expect(summary.length).toBeLessThan(160);
    expect(summary).toMatch(/\.$/);
  },
);

test.each(guides)(
  "$slug runs JavaScript only from named files, with what it imports",
  ({ text }) => {
    for (const [, info = "", code = ""] of text.matchAll(/^```(.*)\n([\s\S]*?)^```/gm)) {
      const { language, file } = readFence({ lang: info, text: code });
      if (language !== "js" || info.includes("excerpt")) continue;
      expect(file, info).toMatch(/^[\w-]+\.mjs$/);
      for (const name of ["Payments", "createGate", "Webhook"]) {
        if (new RegExp(`\\b${name}[.(]`).test(code))
          expect(code).toMatch(new RegExp(`import .*\\b${name}\\b`));
      }
    }
  },
);

test("a guide shows the address of the service whose page it is", () => {
  const { text } = findGuide("quickstart-hono", "https://pay.example") ?? { text: "" };
  expect(text).not.toContain("localhost:3000");
  expect(text).toContain("export TURNPIKE_URL=https://pay.example\n");
  expect(text).toContain("https://pay.example/downloads/create-turnpike-agent.tgz");
});

test("quickstarts share a part, each with its own stack", () => {
  const quickstarts = guides.filter(({ slug }) => slug.startsWith("quickstart-"));
  expect(quickstarts).toHaveLength(8);
  for (const { slug, text } of quickstarts) {
    expect(text).toContain(`my-agent --stack ${slug.replace("quickstart-", "")} --yes\n`);
    expect(text).not.toMatch(/\(parts\/|STACK/);
  }
});

test("info strings name files, commands and alternatives", () => {
  expect(readFence({ lang: "ts file=agent.ts tab", text: "1" })).toEqual({
    ...{ language: "ts", file: "agent.ts", isCommand: false, isTab: true, code: "1" },
  });
  expect(readFence({ lang: "sh serve", text: "" })).toMatchObject({
    language: "sh",
    isCommand: true,
  });
  const code = (lang: string) => ({ type: "code", raw: "", lang, text: lang });
  const blocks = groupFences([code("js file=a.mjs"), code("ts file=a.ts tab"), code("sh run")]);
  expect(blocks).toMatchObject([
    { fences: [{ language: "js" }, { language: "ts" }] },
    { fences: [{ language: "sh" }] },
  ]);
});

test("JavaScript is shown as TypeScript too, a part of no file as it is", () => {
  const code = (lang: string) => ({ type: "code", raw: "", lang, text: "1" });
  const [whole, part] = groupFences([
    code("js excerpt of=my-agent/server.mjs"),
    code("js excerpt"),
  ]);
  expect(whole).toMatchObject({
    title: "server.mjs",
    fences: [{ language: "js" }, { language: "ts", file: "server.ts", code: "1" }],
  });
  expect(part).toMatchObject({ fences: [{ language: "js" }] });
});

test.each([
  ["selling.md#get-paid", "/docs/selling#get-paid"],
  ["../errors.md#not_found", "/docs/errors/not_found"],
  ["errors.md#not_found", "/docs/errors/not_found"],
  ["errors.md", "/docs/errors"],
  ["/playground", "/playground"],
  ["https://example.com/", "https://example.com"],
])("the link %s leads to %s", (link, page) => expect(pageOf(link)).toBe(page));

test("a heading’s anchor is the one that forges make", () => {
  expect(anchorOf("What `fetch` may spend?")).toBe("what-fetch-may-spend");
});

test("the search puts titles before words, and needs every word", () => {
  const item = (title: string, words: string): Findable => ({
    ...{ kind: "Guides", title, href: `/docs/${title}`, note: "", words },
  });
  const index = [item("Streaming", "settle at the end"), item("Settle", "charge a call")];
  expect(findIn(index, "settle").map(({ title }) => title)).toEqual(["Settle", "Streaming"]);
  expect(findIn(index, "settle end").map(({ title }) => title)).toEqual(["Streaming"]);
  expect(findIn(index, "nothing")).toEqual([]);
});
