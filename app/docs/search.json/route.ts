import { ERRORS, type ErrorCode } from "@turnpike/payments/protocol";
import { partsOf } from "@/components/docs/headings.ts";
import type { Findable } from "@/components/docs/search-index.ts";
import { ERROR_TITLES } from "@/lib/console/error-titles.ts";
import { readErrorTexts, readGuides } from "@/lib/server/guides.ts";
import { readReference } from "../read-docs.ts";

let kept: Promise<string> | undefined;

/** The index of the documentation's search: guides and their parts, operations, error codes. */
export async function GET(): Promise<Response> {
  kept ??= readIndex().then((index) => JSON.stringify(index));
  return new Response(await kept, {
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
  });
}

async function readIndex(): Promise<Findable[]> {
  const groups = await readReference();
  const texts = readErrorTexts();
  return [
    ...readGuides().flatMap(({ slug, title, summary, section, text }): Findable[] => [
      { kind: "Guides", title, href: `/docs/${slug}`, note: section, words: summary.toLowerCase() },
      ...partsOf(text).map((part) => ({
        kind: "Guides" as const,
        title: part.title,
        href: `/docs/${slug}#${part.anchor}`,
        note: title,
        words: part.words.toLowerCase(),
      })),
    ]),
    ...groups.flatMap(({ entries }) =>
      entries.map(
        ({ name, method, path, summary }): Findable => ({
          kind: "Operations",
          title: name,
          href: `/docs/api/${name}`,
          note: summary,
          words: `${method} ${path}`.toLowerCase(),
        }),
      ),
    ),
    ...(Object.entries(ERROR_TITLES) as [ErrorCode, string][]).map(
      ([code, title]): Findable => ({
        kind: "Error codes",
        title: code,
        href: `/docs/errors/${code}`,
        note: title,
        words: `${ERRORS[code].status} ${texts.get(code) ?? ""}`.toLowerCase(),
      }),
    ),
  ];
}
