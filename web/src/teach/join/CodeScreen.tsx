// Coming into a room by typing its code.
import "../teach.css";
import { useState } from "react";
import { useLocation } from "wouter";
import { get } from "#/api/client.ts";
import { Button } from "#/design/Button.tsx";
import { TextBox } from "#/design/Fields.tsx";
import { inWords, type JoinPage } from "../api.ts";

export default function CodeScreen() {
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState("");
  const [, go] = useLocation();
  const enter = async () => {
    const typed = code.replace(/[^a-z0-9]/gi, "");
    if (!typed) return setWrong("Type the code first.");
    try {
      await get<JoinPage>(`/api/join/${encodeURIComponent(typed)}`);
      go(`/join/${typed.toUpperCase()}`);
    } catch (error) {
      setWrong(inWords(error));
    }
  };
  return (
    <div className="teach narrow">
      <h1>Come into a room</h1>
      <form
        className="join-form"
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <TextBox
          label="The code your teacher shows"
          hint="Six letters. Large or small does not matter."
          value={code}
          onChange={(now) => {
            setCode(now);
            setWrong("");
          }}
          wrong={wrong}
          max={12}
        />
        <div className="row">
          <Button look="main" type="submit">
            Go in
          </Button>
        </div>
      </form>
    </div>
  );
}
