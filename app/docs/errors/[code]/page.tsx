import { ERRORS, type ErrorCode } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { DocsFrame, DocsHead, DocsNeighbors } from "@/components/docs/docs-frame.tsx";
import { ErrorCauses } from "@/components/docs/error-causes.tsx";
import { errorExample } from "@/components/docs/error-example.ts";
import { Markdown } from "@/components/docs/markdown.tsx";
import type { Routed } from "@/components/search-params.ts";
import { CodeBlock } from "@/components/ui/data/code-block.tsx";
import { HttpStatus } from "@/components/ui/values/http-status.tsx";
import { ERROR_TITLES } from "@/lib/console/error-titles.ts";
import { readErrorTexts } from "@/lib/server/guides.ts";
import { getRunning } from "@/lib/server/running.ts";
import { errorGroups } from "../../read-docs.ts";
import { causesOf } from "./causes-of.ts";

async function findCode({ params }: Routed<"code">): Promise<ErrorCode> {
  const { code } = await params;
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : notFound();
}

export async function generateMetadata(props: Routed<"code">) {
  const code = await findCode(props);
  return {
    title: `${code}: ${ERROR_TITLES[code]}`,
    description: `${ERROR_TITLES[code]}: what causes ${code}, and what to do. ${ERRORS[code].hint}`,
    alternates: { canonical: `/docs/errors/${code}` },
  };
}

export default async function ErrorPage(props: Routed<"code">) {
  const code = await findCode(props);
  const { status } = ERRORS[code];
  const { env } = await getRunning();
  const groups = errorGroups();
  const path = `/docs/errors/${code}`;
  const example = JSON.stringify(errorExample(code, env.origin), null, 2);
  return (
    <DocsFrame groups={groups} path={path}>
      <article className="grid max-w-190 gap-6">
        <div>
          <DocsHead
            trail={[
              { href: "/docs", label: "Docs" },
              { href: "/docs/errors", label: "Error codes" },
            ]}
            title={ERROR_TITLES[code]}
          />
          <p className="-mt-3 flex items-center gap-3">
            {status > 0 && <HttpStatus status={status} />}
            <code>{code}</code>
            {status === 0 && <span className="text-ink-2">Thrown by the client</span>}
          </p>
        </div>
        <Markdown text={readErrorTexts().get(code) ?? ERRORS[code].hint} />
        <section aria-labelledby="example" className="grid gap-3">
          <h2 id="example" className="text-h2">
            Example
          </h2>
          <CodeBlock
            title={status > 0 ? "Response" : "PaymentsError"}
            copies={example}
            label={status > 0 ? "Response" : "PaymentsError"}
          >
            <code>{example}</code>
          </CodeBlock>
        </section>
        <ErrorCauses causes={causesOf(code)} />
        <DocsNeighbors groups={groups} path={path} />
      </article>
    </DocsFrame>
  );
}
