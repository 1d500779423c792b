// Leaving one's seat in a group's round for good: a built-in player goes on from there.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { inWords } from "#/api/client.ts";
import { toast } from "#/design/Toasts.tsx";
import { handBack } from "./api.ts";
import { seatName } from "./words.ts";

export function GiveSeat({ sitting, door, seat }: { sitting: string; door: string; seat: string }) {
  const [asking, ask] = useState(false);
  const [, go] = useLocation();
  const give = useMutation({
    mutationFn: () => handBack(sitting),
    onSuccess: () => go(`/join/${door}`),
    onError: (error) => toast(inWords(error)),
  });
  return (
    <>
      <Button onPress={() => ask(true)}>Give my seat to a built-in player</Button>
      <Dialog
        open={asking}
        onClose={() => ask(false)}
        heading="Give your seat away?"
        ends={
          <>
            <Button onPress={() => ask(false)}>Keep it</Button>
            <Button
              look="final"
              className="sure"
              isDisabled={give.isPending}
              onPress={() => give.mutate()}
            >
              Give it away
            </Button>
          </>
        }
      >
        <p>
          A built-in player goes on as {seatName(seat)} from here, so that the others need not wait for you. You cannot come
          back to this round. What you said stays in it.
        </p>
      </Dialog>
    </>
  );
}
