import { PlanMetadata } from "@turnpike/payments/protocol";
import { z } from "zod";
import { readTags } from "@/lib/text/read-tags.ts";
import type { PlanTexts } from "../plan-types.ts";

const { name, description, author, license, tags, sampleLink } = PlanMetadata.shape;

/** The protocol's own rules, applied to the text of the fields. */
export const MetadataRules = z.object({
  name,
  description: description.def.innerType,
  author: author.def.innerType,
  license: license.def.innerType,
  tags: z
    .string()
    .transform((text): string[] | undefined => readTags(text))
    .pipe(tags)
    .transform((read = []) => read),
  sampleLink: sampleLink.def.innerType,
  refundUnusedDays: z
    .string()
    .transform((days) => Number(days.trim() || "0"))
    .pipe(z.int("Enter whole days.").min(0, "Enter 0 or more.").max(365, "Up to 365 days.")),
  refundFailedCalls: z.boolean(),
});
export type MetadataValues = z.input<typeof MetadataRules>;
/** The same as it is sent. */
export type Metadata = z.output<typeof MetadataRules>;

/** A plan's texts as the form sends them; what is not set is empty. */
export const metadataOf = (texts: PlanTexts): Metadata => ({
  name: texts.name,
  description: texts.description ?? "",
  author: texts.author ?? "",
  license: texts.license ?? "",
  tags: texts.tags ?? [],
  sampleLink: texts.sampleLink ?? "",
  refundUnusedDays: texts.refundUnusedDays ?? 0,
  refundFailedCalls: texts.refundFailedCalls ?? false,
});

export const valuesOf = ({ tags: list, refundUnusedDays, ...rest }: Metadata): MetadataValues => ({
  ...rest,
  tags: list.join(", "),
  refundUnusedDays: refundUnusedDays === 0 ? "" : String(refundUnusedDays),
});
