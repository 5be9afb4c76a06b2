export type CodingTask = {
  /** What to build, as a sentence. */
  task: string;
  /** The reader's own objects: `Plan "Starter"` and its id. */
  ids: readonly (readonly [what: string, id: string])[];
  origin: string;
  samples: readonly { title: string; language: string; code: string }[];
};

/** A task for a coding agent, in Markdown, with the reader's own ids. It holds no secret: keys stay in the environment. */
export const codingPrompt = ({ task, ids, origin, samples }: CodingTask): string =>
  [
    task,
    ...(ids.length > 0
      ? [
          `Use these IDs as they are:\n\n${ids.map(([what, id]) => `- ${what}: \`${id}\``).join("\n")}`,
        ]
      : []),
    [
      "Rules:",
      "",
      `- Download ${origin}/downloads/turnpike-payments.tgz, the package \`@turnpike/payments\`, into the project and run \`npm install ./turnpike-payments.tgz\`, or use plain HTTP as below. Never install the name from a registry.`,
      "- Read the API key from the environment variable `TURNPIKE_API_KEY`. Never write it into a file, a log or an error.",
      "- Amounts are decimal strings or `bigint`, never floating-point numbers.",
      "- When a payment's outcome is unknown, ask for its status before you send it again.",
      `- All operations: ${origin}/api/v1/openapi.json. A summary for language models: ${origin}/llms.txt.`,
    ].join("\n"),
    ...samples.map(
      ({ title, language, code }) => `## ${title}\n\n\`\`\`${language}\n${code}\n\`\`\``,
    ),
  ].join("\n\n");
