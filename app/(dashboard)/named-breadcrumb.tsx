import "server-only";
import { headers } from "next/headers";
import { Breadcrumb } from "@/components/shell/breadcrumb.tsx";
import { objectOf } from "@/components/shell/crumbs.ts";
import { read } from "../_session/operations.ts";
import { attempt } from "./home/attempt.ts";

/** The breadcrumb with the name of the object whose page was requested. */
export async function NamedBreadcrumb() {
  const path = (await headers()).get("x-turnpike-path")?.split("?")[0] ?? "";
  const object = objectOf(path);
  if (!object) return <Breadcrumb />;
  const found = await attempt("breadcrumb", read("search", { q: object.id }));
  const named = found?.items.find(({ href, name }) => href === object.href && name !== object.id);
  return <Breadcrumb names={named ? { [object.href]: named.name } : {}} />;
}
