import { SecretDialog } from "../ui/overlays/secret-dialog.tsx";

export function ShownSecret(props: { secret: string; onClose: () => void }) {
  return (
    <SecretDialog
      name="signing secret"
      title="Signing secret"
      description="Copy it now. You won’t see it again. Use it with the standardwebhooks package to verify deliveries."
      {...props}
    />
  );
}
