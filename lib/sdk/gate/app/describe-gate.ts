import type { RouteMap } from "../routes.ts";
import { describeRoutes } from "./describe-routes.ts";

/** Marks a definition that a gate wrote, so that a gate around it adds its own routes. */
const GENERATED = "x-generated-definition";

type Paths = Record<string, object>;

/** The definition of a gate's routes where the app behind it has none, or only that of another gate. */
export async function describeGate(
  origin: string,
  response: Response,
  gated: RouteMap,
): Promise<Response> {
  const isGenerated = response.headers.has(GENERATED);
  if (response.status !== 404 && !isGenerated) return response;
  const inner: { paths: Paths } = isGenerated ? await response.json() : { paths: {} };
  const own = describeRoutes({ title: "Paid agent", version: "1.0.0", origin, gated, open: [] });
  const paths = { ...inner.paths };
  for (const [path, methods] of Object.entries(own.paths as Paths))
    paths[path] = { ...paths[path], ...methods };
  return Response.json({ ...own, paths }, { headers: { [GENERATED]: "true" } });
}
