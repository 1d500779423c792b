// Taking a seat: which one, and what may be done with the words. Practice alone is the default.
import { useState } from "react";
import { useLocation } from "wouter";
import { inWords, post } from "#/api/client.ts";
import type { SatDown, ShelfCase } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { OneOf } from "#/design/Fields.tsx";
import { Dots, WarnBar } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { seatWords } from "#/practise/sitting/DisclosurePage.tsx";
import { granted, PermissionFields, type Permission } from "#/practise/sitting/Permissions.tsx";

export function SitDownDialog({ one, onClose }: { one: ShelfCase; onClose: () => void }) {
  const [seat, setSeat] = useState(one.seats[0] ?? "");
  const [permission, setPermission] = useState<Permission>({ uses: [], until: "" });
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const [, go] = useLocation();
  const sit = async () => {
    setBusy(true);
    setWrong("");
    try {
      const given = { protocol: one.protocol, case: one.id, seat, ...granted(permission) };
      const { id } = await post<SatDown>("/api/sittings", given);
      go(`/practise/${id}`);
    } catch (error) {
      setBusy(false);
      setWrong(inWords(error));
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      heading={visible(one.title)}
      ends={
        <>
          <Button onPress={onClose}>Not now</Button>
          <Button look="main" onPress={() => void sit()} isDisabled={busy}>
            {busy ? <Dots /> : "Sit down"}
          </Button>
        </>
      }
    >
      {one.distressing && (
        <WarnBar>This case may be distressing. You can leave at any moment, and nothing is lost.</WarnBar>
      )}
      {one.seats.length > 1 && (
        <OneOf
          label="Your seat"
          options={one.seats.map((id) => ({ id, text: capital(seatWords(id)) }))}
          value={seat}
          onChange={setSeat}
        />
      )}
      <PermissionFields value={permission} onChange={setPermission} />
      {wrong && (
        <p className="notice" role="alert">
          {visible(wrong)}
        </p>
      )}
    </Dialog>
  );
}
