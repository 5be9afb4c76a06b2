import "server-only";
import { operations } from "@turnpike/payments/protocol";
import type { DocsGroup } from "@/components/docs/docs-frame.tsx";
import { type OperationGroup, readOperations } from "@/components/docs/read-operations.ts";
import { ERROR_TITLES } from "@/lib/console/error-titles.ts";
import { readGuides } from "@/lib/server/guides.ts";
import { findSandbox } from "../demo/find-sandbox.ts";

const REFERENCE = [
  { href: "/docs/api", label: "API reference" },
  { href: "/docs/errors", label: "Error codes" },
];

export function guideGroups(): DocsGroup[] {
  const sections = new Map<string, DocsGroup["links"]>();
  for (const { section, slug, title } of readGuides()) {
    const links = sections.get(section) ?? [];
    sections.set(section, [...links, { href: `/docs/${slug}`, label: title }]);
  }
  sections.set("Reference", [...REFERENCE, ...(sections.get("Reference") ?? [])]);
  return Array.from(sections, ([title, links]) => ({ title, links }));
}

export const errorGroups = (): DocsGroup[] => [
  {
    title: "Error codes",
    links: Object.keys(ERROR_TITLES).map((code) => ({ href: `/docs/errors/${code}`, label: code })),
  },
];

export const operationGroups = (groups: readonly OperationGroup[]): DocsGroup[] =>
  groups.map(({ title, entries }) => ({
    title,
    links: entries.map(({ name, method }) => ({
      href: `/docs/api/${name}`,
      label: name,
      tag: method === "DELETE" ? "DEL" : method,
    })),
  }));

const kept = new Map<boolean, Promise<OperationGroup[]>>();

/** The published operations, and in a sandbox its own. Put together once per process. */
export async function readReference(): Promise<OperationGroup[]> {
  const isSandbox = (await findSandbox()) !== undefined;
  const groups = kept.get(isSandbox) ?? readGroups(isSandbox);
  kept.set(isSandbox, groups);
  return groups;
}

async function readGroups(isSandbox: boolean): Promise<OperationGroup[]> {
  if (!isSandbox) return readOperations(operations);
  const { sandbox } = await import("@/lib/sandbox/operations.ts");
  return readOperations({ ...operations, ...sandbox });
}
