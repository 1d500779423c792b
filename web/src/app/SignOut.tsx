// Signing out of a shared server: what one may do here ends, and what this browser remembers of one goes.
import { useState } from "react";
import { inWords, post } from "#/api/client.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Dots } from "#/design/States.tsx";
import { listed, visible } from "#/design/text.ts";
import { mayDo, useMe } from "./me.ts";
import { forgetVisitor } from "./remembered.ts";

/** For whoever was let in to a shared server; nobody else sees it. */
export function SignOut() {
  const { data: me } = useMe();
  const [asking, ask] = useState(false);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  if (!me?.shared || !me.rights.length) return null;
  const signOut = async () => {
    setBusy(true);
    setWrong("");
    try {
      await post("/api/sign-out");
      forgetVisitor();
      window.location.assign("/"); // loaded anew, so that nothing of what was shown stays in the window
    } catch (error) {
      setBusy(false);
      setWrong(inWords(error));
    }
  };
  return (
    <>
      <Button look="quiet" className="sign-out" onPress={() => ask(true)} aria-label="Sign out">
        <Icon name="leave" /> <span>Sign out</span>
      </Button>
      <Dialog
        open={asking}
        onClose={() => ask(false)}
        heading="Sign out?"
        ends={
          <>
            <Button onPress={() => ask(false)}>Stay</Button>
            <Button look="main" onPress={() => void signOut()} isDisabled={busy}>
              {busy ? <Dots /> : "Sign out"}
            </Button>
          </>
        }
      >
        <p>
          You may {listed(mayDo(me.rights))} here. That ends in this browser, and what you have written but not sent is
          lost.
        </p>
        {me.rights.includes("learn") && (
          <p>
            Your encounters are kept. Each has a code, which you find in it under Leave: note the codes first. To go on,
            come in again and enter the code under Practise.
          </p>
        )}
        {me.rights.includes("teach") && (
          <p>
            The rooms that you opened go on for your learners, but you cannot open their boards again, not even by the
            same link. Finish with them first.
          </p>
        )}
        <p>To come in again, open the link that you were given, or enter the code of a room.</p>
        {wrong && (
          <p className="notice" role="alert">
            {visible(wrong)}
          </p>
        )}
      </Dialog>
    </>
  );
}
