// "What if?": keep what happened before an exchange and go on another way. Nothing of the old episode changes.
import "../evaluate.css";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { post } from "#/api/client.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Choose, OneOf, TextBox } from "#/design/Fields.tsx";
import { Fault } from "#/design/States.tsx";
import { toast } from "#/design/Toasts.tsx";
import { visible } from "#/design/text.ts";
import { comparePath } from "../address.ts";
import { useStartForm } from "../queries.ts";
import type { Branched, EpisodeDetail } from "../types.ts";
import { plain } from "../words.ts";

type Way = "say" | "player" | "chair";

export interface Instant {
  n: number;
  seat: string;
  words: string;
}

/** `chair`: the seat that somebody wants to take. */
export function WhatIf({ episode, at, chair = "", onClose }: { episode: EpisodeDetail; at: Instant; chair?: string; onClose: () => void }) {
  const [way, setWay] = useState<Way>(chair ? "chair" : "say");
  const [say, setSay] = useState("");
  const [seat, setSeat] = useState(chair || episode.under_test);
  const [player, setPlayer] = useState("");
  const [, go] = useLocation();
  const choices = usePlayers(episode.protocol, seat);
  const id = `${episode.run}:${episode.line.ordinal}`;
  const act = useMutation({
    mutationFn: () =>
      post<Branched>("/api/branches", {
        run: episode.run,
        n: episode.line.ordinal,
        at: at.n - 1,
        seat: way === "say" ? "" : seat,
        player: way === "player" ? player || choices[0]?.id || "" : way === "chair" ? "person" : "",
        say: way === "say" ? say : null,
      }),
    onSuccess: ({ run, ordinal, sitting }) => {
      if (sitting) return go(`/practise/${encodeURIComponent(sitting)}`);
      toast("The new branch is being played. The old episode stays as it is.");
      go(comparePath(id, `${run}:${ordinal}`));
    },
  });
  const seats = episode.seats.map((one) => ({ id: one.seat, text: plain(one.seat) }));
  const ready = way !== "say" || say.trim() !== "";
  return (
    <Dialog
      open
      onClose={onClose}
      heading={`What if, at exchange ${at.n}?`}
      ends={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="main" onPress={() => act.mutate()} isDisabled={!ready || act.isPending}>
            {way === "chair" ? "Take this chair" : "Play on from here"}
          </Button>
        </>
      }
    >
      <p>
        Everything before exchange {at.n} is kept. Then it goes on your way, as a new run in the same world. The old episode
        stays as it is.
      </p>
      <OneOf<Way>
        label="What should be different?"
        value={way}
        onChange={setWay}
        options={[
          { id: "say", text: `Other words: the ${plain(episode.under_test)} says something else` },
          { id: "player", text: "Another player goes on in a seat" },
          { id: "chair", text: "Take this chair: go on yourself" },
        ]}
      />
      {way === "say" ? (
        <>
          {at.seat === episode.under_test && at.words && <blockquote className="quote">{visible(at.words)}</blockquote>}
          <TextBox label={`Say this instead, as the ${plain(episode.under_test)}`} lines={3} value={say} onChange={setSay} max={4000} />
        </>
      ) : (
        <Choose label="Seat" value={seat} onChange={setSeat} options={seats} />
      )}
      {way === "player" && (
        <Choose label="Player" value={player || (choices[0]?.id ?? "")} onChange={setPlayer} options={choices} />
      )}
      {act.error && <Fault error={act.error} heading="It cannot go on this way" />}
    </Dialog>
  );
}

/** The players that may take a seat: the built-in ones, and the models configured at this server. */
export function usePlayers(protocol: string, seat: string): { id: string; text: string }[] {
  const form = useStartForm().data;
  const found = form?.protocols.find((one) => one.name === protocol)?.seats.find((one) => seat === one.seat || seat.startsWith(`${one.seat}_`));
  const models = (found?.models ? (form?.models ?? []) : []).map((one) => ({ id: one.value, text: one.words }));
  return [...(found?.players ?? []).filter((name) => name !== "person").map((name) => ({ id: name, text: plain(name) })), ...models];
}
