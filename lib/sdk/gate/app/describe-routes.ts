import { isParameter, parseRouteKey } from "../../protocol/match-route.ts";
import { X402_HEADERS } from "../../protocol/x402-headers.ts";
import { REQUEST_ID_HEADER } from "../headers.ts";
import type { RouteConfig, RouteMap } from "../routes.ts";

type Json = Record<string, unknown>;

/** What an app serves. */
export type Description = {
  title: string;
  version: string;
  origin: string;
  gated: RouteMap;
  /** The keys of the routes added to the app, gated or not. */
  open: readonly string[];
};

/** The OpenAPI 3.1 document of an app: what each route costs, and how it is paid. */
export function describeRoutes({ title, version, origin, gated, open }: Description): Json {
  const paths: Record<string, Json> = {};
  const prices = new Map(Object.entries(gated).map(([key, config]) => [nameOf(key), config]));
  for (const name of new Set([...prices.keys(), ...open.map(nameOf)])) {
    const [method = "", path = ""] = name.split(" ");
    const described = describeRoute({ method, path }, prices.get(name));
    paths[path] = { ...paths[path], [method.toLowerCase()]: described };
  }
  return {
    openapi: "3.1.0",
    info: { title, version },
    servers: [{ url: origin }],
    paths,
    components: {
      securitySchemes: {
        payment: {
          type: "apiKey",
          in: "header",
          name: X402_HEADERS.PAYMENT_SIGNATURE,
          description: "An access token for one of the route's plans (x402 v2).",
        },
      },
    },
  };
}

/** A route's key with its parameters as OpenAPI writes them. */
function nameOf(key: string): string {
  const { method, segments } = parseRouteKey(key) ?? { method: "", segments: [] };
  return `${method} /${segments.map((part) => (isParameter(part) ? `{${bare(part)}}` : part)).join("/")}`;
}

const bare = (part: string) => part.replace(/[:{}]/g, "");

function describeRoute(
  { method, path }: { method: string; path: string },
  config: RouteConfig | undefined,
): Json {
  const hasBody = ["POST", "PUT", "PATCH"].includes(method);
  const parameters = path
    .split("/")
    .filter(isParameter)
    .map((part) => ({
      name: bare(part),
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
  const named = parameters.length > 0 ? { parameters } : {};
  if (!config) return { ...named, responses: { default: { description: "The answer." } } };
  const {
    planId,
    credits = 1,
    price,
    agentId,
    scheme,
    network,
    description,
    mimeType,
    discovery,
  } = config;
  const { inputSchema, input, bodyType = "json" } = discovery ?? {};
  return {
    ...named,
    ...(description && { description }),
    security: [{ payment: [] }],
    "x-payment": {
      planIds: typeof planId === "string" ? [planId] : planId,
      credits: typeof credits === "function" ? "by request" : String(credits),
      ...(agentId && { agentId }),
      ...(scheme && { scheme }),
      ...(network && { network }),
    },
    "x-payment-info": paymentInfo(price, credits),
    ...(hasBody &&
      bodyType === "json" &&
      inputSchema && {
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", ...inputSchema },
              ...(input && { example: input }),
            },
          },
        },
      }),
    responses: {
      200: {
        description: "The answer; its credits are burned.",
        headers: {
          [REQUEST_ID_HEADER]: header("Names the paid request."),
          [X402_HEADERS.PAYMENT_RESPONSE]: header(
            "The receipt, base64 of JSON; for a stream it follows as a trailer or as the last event.",
          ),
        },
        ...(mimeType && {
          content: {
            [mimeType]: { ...(discovery?.output?.schema && { schema: discovery.output.schema }) },
          },
        }),
      },
      402: {
        description: "What to pay, or why the token was refused.",
        headers: {
          [X402_HEADERS.PAYMENT_REQUIRED]: header("The requirement, base64 of JSON."),
        },
        content: { "application/json": { schema: REFUSAL } },
      },
      503: { description: "Payments cannot be checked now; the call was not charged." },
    },
  };
}

/** A route's price as crawlers of paid APIs read it (`x-payment-info`). */
function paymentInfo(price: RouteConfig["price"], credits: RouteConfig["credits"]): Json {
  const protocols = [{ x402: {} }];
  if (price) {
    const amount = price.replace("$", "");
    return { price: { mode: "fixed", currency: "USD", amount }, protocols };
  }
  // What a credit costs is the plan's to say: the 402 names the plan.
  if (typeof credits === "function") {
    return { price: { mode: "dynamic", currency: "credits" }, protocols };
  }
  return { price: { mode: "fixed", currency: "credits", amount: String(credits) }, protocols };
}

const header = (description: string) => ({ description, schema: { type: "string" } });

const REFUSAL = {
  type: "object",
  required: ["error", "code", "reason", "retryable", "message"],
  properties: {
    error: { type: "string" },
    code: { type: "string" },
    reason: { type: "string" },
    retryable: { type: "boolean" },
    message: { type: "string" },
    paymentRequired: { type: "object" },
  },
};
