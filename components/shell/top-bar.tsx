import type { ReactNode } from "react";
import { AlertsBell } from "../alerts/alerts-bell.tsx";
import { ThemeSwitch } from "../ui/theme-switch.tsx";
import { AccountMenu, type AccountMenuProps } from "./account-menu.tsx";
import { ApiButton } from "./api/api-button.tsx";
import { CommandButton } from "./command-button.tsx";
import { EnvironmentMenu, type EnvironmentMenuProps } from "./environment-menu.tsx";
import { NavSheet } from "./nav-sheet.tsx";

type TopBarProps = {
  environment: EnvironmentMenuProps;
  account: AccountMenuProps;
  breadcrumb: ReactNode;
};

export function TopBar({ environment, account, breadcrumb }: TopBarProps) {
  return (
    <header
      data-top-bar
      className="print:hidden sticky top-0 z-10 flex h-12 items-center gap-3 border-line border-b bg-bg px-3 max-[19rem]:static max-[19rem]:h-auto max-[19rem]:flex-wrap max-sm:gap-1.5 sm:ps-4 sm:pe-(--gutter)"
    >
      <NavSheet />
      <EnvironmentMenu {...environment} />
      {breadcrumb}
      <div className="ms-auto flex shrink-0 items-center gap-2 max-[19rem]:ms-0 max-sm:gap-0.5">
        <CommandButton account={account.person.address} />
        <ApiButton environment={environment.environment} />
        <AlertsBell />
        <ThemeSwitch />
        <AccountMenu {...account} />
      </div>
    </header>
  );
}
