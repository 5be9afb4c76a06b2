import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";

export function CopyHeader({ name, value }: { name: string; value: string }) {
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => toast(`${name} copied`),
      () => toast("The browser blocked copying", { tone: "bad" }),
    );
  return (
    <Button title={name} onClick={() => void copy()}>
      <Icon name="copy" className="size-3.5" />
      Copy header
    </Button>
  );
}
