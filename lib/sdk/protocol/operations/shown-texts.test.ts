import { expect, test } from "vitest";
import * as z from "zod/mini";
import { figures, market, runs } from "@/lib/console/operations.ts";
import { operations } from "../operations.ts";
import { plainLine, WebUrl } from "../primitives.ts";
import type { Operation } from "./operation.ts";

type Node = z.ZodMiniType | undefined;
type Def = {
  shape?: Record<string, z.ZodMiniType>;
  options?: z.ZodMiniType[];
  element?: Node;
  innerType?: Node;
  in?: Node;
  out?: Node;
  catchall?: Node;
};

/** The members of a schema whose texts are judged by the reader's Unicode or URL parser. */
function judged(schema: Node, path = ""): string[] {
  if (!schema) return [];
  const wire = z.globalRegistry.get(schema)?.wire;
  const { shape = {}, options = [], ...def } = schema._zod.def as Def;
  // Words of a list are read in any case.
  const isWord = def.out?._zod.def.type === "enum";
  if (wire === "url" || (wire === "text" && !isWord)) return [path];
  return [
    ...Object.entries(shape).flatMap(([name, member]) => judged(member, `${path}.${name}`)),
    ...[...options, def.element, def.innerType, def.in, def.out, def.catchall].flatMap((part) =>
      judged(part, path),
    ),
  ];
}

test("finds what a reader judges", () => {
  const Input = z.object({ names: z.array(z.optional(plainLine(9))), at: z.nullable(WebUrl) });
  expect(judged(Input)).toEqual([".names", ".at"]);
});

test.each(Object.entries<Operation>({ ...operations, ...figures, ...market, ...runs }))(
  "the answer of %s is read whatever Unicode and URL parser the reader has",
  (_name, { output }) => {
    expect(judged(output)).toEqual([]);
  },
);
