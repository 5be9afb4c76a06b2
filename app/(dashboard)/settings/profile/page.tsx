import { requireSession } from "@/app/_session/session.ts";
import { ProfileForm } from "@/components/settings/profile-form.tsx";
import { ShortcutSwitch } from "@/components/settings/shortcut-switch.tsx";
import { DefinitionList } from "@/components/ui/data/definition-list.tsx";
import { PageHeader, Section } from "@/components/ui/page-header.tsx";
import { Address } from "@/components/ui/values/address.tsx";
import { saveName } from "./actions.ts";

export const metadata = { title: "Profile" };

const SIGNED_IN_BY = {
  wallet: "A wallet",
  passkey: "Passkey",
  demo: "Sandbox demo",
} as const;

export default async function ProfilePage() {
  const { account, method } = await requireSession();
  const isOwnKey = account.ownerKey === null;
  return (
    <>
      <PageHeader title="Profile">Your name, account and keyboard shortcuts.</PageHeader>
      <div className="max-w-140">
        <ProfileForm name={account.name ?? ""} saveName={saveName} />
        <Section id="account" title="Account">
          <DefinitionList
            items={{
              Address: <Address value={account.address} name="account address" />,
              Owner: isOwnKey ? (
                <Address value={account.owner} name="owner address" />
              ) : (
                "Encrypted key managed by Turnpike"
              ),
              "Signed in with": SIGNED_IN_BY[method],
            }}
          />
        </Section>
        <Section id="keyboard" title="Keyboard">
          <ShortcutSwitch />
        </Section>
      </div>
    </>
  );
}
