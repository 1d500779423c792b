// Leaving a room: what goes and what stays is said before.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "#/api/client.ts";
import { focusHeading } from "#/app/focus.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Dots } from "#/design/States.tsx";
import { toast } from "#/design/Toasts.tsx";
import { visible } from "#/design/text.ts";
import { address, inWords, type JoinPage } from "../api.ts";

export function LeaveRoom({ room, code }: { room: JoinPage; code: string }) {
  const queries = useQueryClient();
  const [asking, ask] = useState(false);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const leave = async () => {
    setBusy(true);
    setWrong("");
    try {
      await post(address(room.room, "/leave"));
      queries.removeQueries({ queryKey: ["room", room.room] });
      await queries.invalidateQueries({ queryKey: ["join", code] });
      window.setTimeout(focusHeading, 100); // the page of the door is there by then
      toast("You have left the room.");
    } catch (error) {
      setBusy(false);
      setWrong(inWords(error));
    }
  };
  return (
    <>
      <Button look="quiet" onPress={() => ask(true)}>
        Leave the room
      </Button>
      <Dialog
        open={asking}
        onClose={() => {
          ask(false);
          setWrong("");
        }}
        heading="Leave the room?"
        ends={
          <>
            <Button onPress={() => ask(false)}>Stay</Button>
            <Button look="main" onPress={() => void leave()} isDisabled={busy}>
              {busy ? <Dots /> : "Leave the room"}
            </Button>
          </>
        }
      >
        <ul className="plain-list">
          <li>
            The room forgets the name <b>{visible(room.joined?.pseudonym ?? "")}</b>.
          </li>
          <li>Your encounters stay yours: you find them under Practise.</li>
          <li>Your teacher sees only that somebody has left, and your encounters no more.</li>
        </ul>
        <p>As long as the room is open, you may come in again by its code. Your teacher then sees your encounters again.</p>
        {wrong && (
          <p className="notice" role="alert">
            {visible(wrong)}
          </p>
        )}
      </Dialog>
    </>
  );
}
