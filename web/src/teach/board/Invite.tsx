// The way into a room: its link, its code, its QR code, and all three large for a wall.
import { useState } from "react";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { Icon } from "#/design/Icon.tsx";
import { WarnBar } from "#/design/States.tsx";
import { toast } from "#/design/Toasts.tsx";
import { visible } from "#/design/text.ts";
import { address, type Room } from "../api.ts";

const HERE_ONLY = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The way in, folded for who comes back to a room in which learners are. */
export function Invite({ room, learners }: { room: Room; learners: number }) {
  const [folded] = useState(learners > 0);
  const [wall, setWall] = useState(false);
  const link = `${window.location.origin}${room.path}`;
  const copy = () =>
    navigator.clipboard.writeText(link).then(
      () => toast("The link is copied."),
      () => toast(link),
    );
  const qr = <img src={address(room.id, "/qr.svg")} alt={`QR code of the link ${link}`} />;
  return (
    <details className="card fold" open={!folded}>
      <summary>
        The way in <span className="soft small">code {room.code}</span>
      </summary>
      <div className="invite">
        {qr}
        <div className="stack">
          {HERE_ONLY.has(window.location.hostname) && (
            <WarnBar>
              This machine alone can open the link now. For other devices, ask whoever runs this server to start it with{" "}
              <code>osler serve --share --until DATE --host 0.0.0.0</code>.
            </WarnBar>
          )}
          <p>
            <span className="soft">Learners open </span>
            <a href={room.path}>{link}</a>
          </p>
          <p>
            <span className="soft">or type the code at {window.location.host}/join</span>
            <br />
            <b className="code-big">{room.code}</b>
          </p>
          <div className="row">
            <Button onPress={() => void copy()}>Copy the link</Button>
            <Button look="main" onPress={() => setWall(true)}>
              <Icon name="system" /> Show on the wall
            </Button>
          </div>
        </div>
        <Dialog open={wall} onClose={() => setWall(false)} heading={visible(room.name)} wide>
          <div className="wall">
            {qr}
            <p className="link">{link}</p>
            <p className="code-big">{room.code}</p>
          </div>
        </Dialog>
      </div>
    </details>
  );
}
