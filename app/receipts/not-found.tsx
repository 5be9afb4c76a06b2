import Link from "next/link";
import { SiteHeader } from "@/components/site-header.tsx";

export const metadata = { title: "Receipt not found" };

export default function ReceiptNotFound() {
  return (
    <>
      <SiteHeader />
      <main
        id="main"
        tabIndex={-1}
        className="wrap grid w-full content-start gap-3 py-16 outline-none"
      >
        <p className="font-mono text-ink-2 text-mono">404</p>
        <h1 className="text-h1">There is no receipt at this address.</h1>
        <p className="max-w-[68ch] text-ink-2">
          A receipt’s id comes with the answer of a paid call. Check that the address is whole.
        </p>
        <p>
          <Link href="/" className="link">
            Go to the start page
          </Link>
        </p>
      </main>
    </>
  );
}
