import type { ReactNode } from "react";
import { QueryProvider } from "@/components/data/query-provider.tsx";

export default function HomeLayout({ children }: { children: ReactNode }) {
  return <QueryProvider>{children}</QueryProvider>;
}
