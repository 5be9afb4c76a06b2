import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

const filesCalled = (name: string): string[] =>
  readdirSync(join(ROOT, "app"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file === name || file.endsWith(`/${name}`),
  );

/** `(dashboard)/plans/[planId]/page.tsx` as `/plans/[planId]`. */
const routeOf = (file: string): string =>
  `/${file
    .split("/")
    .slice(0, -1)
    .filter((part) => !part.startsWith("("))
    .join("/")}`;

/** Names in the addresses of the documentation, which are the same in every sandbox. */
export const DOCS_NAMES = {
  guide: "selling",
  operation: "verifyPermissions",
  code: "insufficient_balance",
} as const;

/** Every page of the product, from the file system. */
export const pageRoutes = (): string[] => filesCalled("page.tsx").map(routeOf).toSorted();

/** Every route handler, with the methods it exports. */
export const handlerRoutes = (): { route: string; methods: string[] }[] =>
  filesCalled("route.ts").map((file) => {
    const text = readFileSync(join(ROOT, "app", file), "utf8");
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) =>
      new RegExp(`export .*\\b${method}\\b`).test(text),
    );
    return { route: routeOf(file), methods };
  });

export type ServerAction = {
  id: string;
  file: string;
  name: string;
  /** A page that contains it. */
  route: string;
  /** Every page that contains it. */
  pages: string[];
};

/** Every server action of the build, with the pages that contain it. */
export function serverActions(): ServerAction[] {
  type Manifest = {
    node: Record<
      string,
      { workers: Record<string, unknown>; filename: string; exportedName: string }
    >;
  };
  const path = join(ROOT, ".next/server/server-reference-manifest.json");
  const { node } = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  return Object.entries(node).map(([id, { workers, filename, exportedName }]) => {
    const routes = Object.keys(workers).map((worker) => routeOf(worker.replace(/^app\//, "")));
    const route = routes.find((one) => !one.includes("[")) ?? routes[0] ?? "/";
    return { id, file: filename, name: exportedName, route, pages: routes };
  });
}
