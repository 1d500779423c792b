// What may be done with one's words: asked before the first, and changed at any time; and deleting them.
import { useState } from "react";
import { useLocation } from "wouter";
import { useQueryClient } from "@tanstack/react-query";
import { put, Problem, remove } from "#/api/client.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Tick } from "#/design/Fields.tsx";
import { toast } from "#/design/Toasts.tsx";
import { visible } from "#/design/text.ts";
import { USE_WORDS, type Use } from "./uses.ts";

/** The uses permitted beyond one's own practice; sharing ends on a day. */
export interface Permission {
  uses: Use[];
  until: string;
}

const MORE: Use[] = ["teacher", "research", "training", "share"];

/** The permission as the server takes it. */
export function granted({ uses, until }: Permission): Permission {
  return { uses: ["practice", ...uses], until: uses.includes("share") ? until : "" };
}

export function PermissionFields({ value, onChange }: { value: Permission; onChange: (now: Permission) => void }) {
  const { uses, until } = value;
  const set = (use: Use, on: boolean) => {
    const now = on ? [...uses, use] : uses.filter((each) => each !== use);
    onChange({ uses: now, until: now.includes("share") ? until || inDays(30) : until });
  };
  return (
    <fieldset className="field">
      <legend>
        <b>What may be done with your words?</b>
      </legend>
      <p className="soft small">
        They serve your own practice. Anything more is up to you; you may leave all of it out, and change it later.
      </p>
      {MORE.map((use) => (
        <Tick key={use} checked={uses.includes(use)} onChange={(on) => set(use, on)}>
          {USE_WORDS[use].asks}
        </Tick>
      ))}
      {uses.includes("share") && (
        <label className="field">
          <span className="label">Shown to others until</span>
          <input
            type="date"
            className="input"
            value={until}
            min={inDays(0)}
            required
            onChange={(event) => onChange({ uses, until: event.target.value })}
          />
        </label>
      )}
    </fieldset>
  );
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** A button that opens what is permitted for a sitting, with a way to delete everything said in it. */
export function YourWords({ id, uses, back }: { id: string; uses: Use[]; /** Where the cases are. */ back: string }) {
  const [open, setOpen] = useState(false);
  const [value, setValue] = useState<Permission>({ uses: uses.filter((use) => use !== "practice"), until: "" });
  const [deleting, setDeleting] = useState(false);
  const [wrong, setWrong] = useState("");
  const queries = useQueryClient();
  const [, go] = useLocation();
  const address = `/api/sittings/${encodeURIComponent(id)}`;
  const tried = async (what: () => Promise<unknown>, then: () => void) => {
    setWrong("");
    try {
      await what();
      then();
    } catch (error) {
      setWrong(error instanceof Problem ? [error.what, error.mend].filter(Boolean).join(" ") : String(error));
    }
  };
  const keep = () =>
    tried(
      () => put(`${address}/permission`, granted(value)),
      () => {
        setOpen(false);
        toast("Kept: what may be done with your words.");
        void queries.invalidateQueries({ queryKey: ["sitting", id] });
      },
    );
  const erase = () =>
    tried(
      () => remove(address),
      () => {
        go(back);
        toast("Deleted: everything you said in that encounter, and its marks.");
        window.setTimeout(() => queries.removeQueries({ queryKey: ["sitting", id] }), 0); // its screen is left by then
      },
    );
  return (
    <>
      <Button onPress={() => setOpen(true)}>Your words</Button>
      <Dialog
        open={open}
        onClose={() => {
          setOpen(false);
          setDeleting(false);
        }}
        heading={deleting ? "Delete everything you said here?" : "Your words"}
        ends={
          deleting ? (
            <>
              <Button onPress={() => setDeleting(false)}>Keep them</Button>
              <Button look="final" className="sure" onPress={() => void erase()}>
                Yes, delete them
              </Button>
            </>
          ) : (
            <>
              <Button look="final" onPress={() => setDeleting(true)}>
                Delete them
              </Button>
              <Button look="main" onPress={() => void keep()}>
                Keep this
              </Button>
            </>
          )
        }
      >
        {deleting ? (
          <p>The words, the marks and what was made of them are deleted. They cannot be brought back.</p>
        ) : (
          <PermissionFields value={value} onChange={setValue} />
        )}
        {wrong && (
          <p className="notice" role="alert">
            {visible(wrong)}
          </p>
        )}
      </Dialog>
    </>
  );
}
