import * as z from "zod/mini";
import { canParseUrl } from "./encoding/parse-url.ts";
import { isWebUrl, plainLine, plainText } from "./primitives.ts";
import { wordOf } from "./word-of.ts";

/** What people read about an agent (§2.7). Only the name is required. */
export const AgentMetadata = z.object({
  name: z.pipe(plainLine(120), z.string().check(z.minLength(1, "Enter a name."))),
  description: z.optional(plainText(4000)),
  author: z.optional(plainLine(120)),
  license: z.optional(plainLine(120)),
  tags: z.optional(z.array(plainLine(40)).check(z.maxLength(20))),
  integration: z.optional(plainLine(200)),
  /** Any text, shown as a link where it is an http(s) URL; never a URL that could run or read something. */
  sampleLink: z.optional(
    z.pipe(
      plainLine(2048),
      z.string().check(z.refine(isHarmlessLink, "Expected an http(s) URL, or text.")),
    ),
  ),
  apiDescription: z.optional(plainText(8000)),
  /** An ISO date or instant; without an offset it is read as it is. */
  dateCreated: z.optional(z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()])),
});
export type AgentMetadata = z.output<typeof AgentMetadata>;

function isHarmlessLink(text: string): boolean {
  return isWebUrl(text) || !(canParseUrl(text) || text.startsWith("//"));
}

const Shown = z.optional(z.string());

/** The same in an answer: a text that was stored under older rules, or by a newer Unicode than the reader's, is still shown. */
export const ShownMetadata = z.object({
  name: z.string(),
  description: Shown,
  author: Shown,
  license: Shown,
  tags: z.optional(z.array(z.string())),
  integration: Shown,
  sampleLink: Shown,
  apiDescription: Shown,
  dateCreated: Shown,
});

/** An HTTP method, read in any case and written upper-case. */
export const HttpVerb = wordOf(
  ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  (verb) => verb.toUpperCase(),
);
export type HttpVerb = z.output<typeof HttpVerb>;
